"""The explorer: a campaign in the browser, served from this machine, read only."""
