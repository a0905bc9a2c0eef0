"""What the console and figures on paper share: palette, curve styles. No Qt."""
