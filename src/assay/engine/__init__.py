"""From sources to judged rankings: reading, joining and the campaign that holds the result."""
