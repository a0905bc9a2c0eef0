"""What is done with mouse and wheel in the plots, for the page of keys."""

GESTURES = (
    ("Show this instant in all views", "Click a plot"),
    ("Zoom time, or values with Shift", "Wheel on a plot"),
    ("Move time", "Drag a plot"),
    ("Zoom to a span of time", "Ctrl+drag a plot"),
    ("Set the mark; values show their difference from it", "Ctrl+click a plot"),
    ("Show all, with automatic values", "Double click a plot"),
    ("Zoom values or time", "Wheel on an axis"),
    ("Move values or time", "Drag an axis"),
    ("Stretch values or time", "Shift+drag an axis"),
    ("Automatic values, or the previous range of time", "Double click an axis"),
    ("Draw only this node", "Alt+click in the legend"),
)
