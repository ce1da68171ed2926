"""The tab where people give: a start page, and a desk for each kind of work. How words get on the page is handed in."""
