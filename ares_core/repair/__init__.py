"""Reading argument text that is no JSON, where only one reading is possible; nothing cut off is ever completed."""
