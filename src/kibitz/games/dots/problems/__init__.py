"""Problems of Dots-and-Boxes with one best line."""
