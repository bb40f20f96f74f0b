"""What is known of the words of group memory: who stored them, and when."""
