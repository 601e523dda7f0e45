"""What is not known for want of judgments: bounds, how deep to judge, and which document to judge next."""
