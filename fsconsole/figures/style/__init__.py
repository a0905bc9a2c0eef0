"""What the console and figures on paper share: palette, number formats, curve styles. No Qt."""
