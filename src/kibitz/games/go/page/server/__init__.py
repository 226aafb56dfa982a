"""The server side of the Go pages: explorer, mined patterns, predictions."""

from importlib.resources import files

from kibitz.games.go.page.server import explorer, mined, predictions
from kibitz.games.go.page.server.site import GoSite
from kibitz.web.extend import Site

SITE = Site(
    open=GoSite,
    routes=(*explorer.ROUTES, *mined.ROUTES, *predictions.ROUTES),
    folder=files("kibitz.games.go.page"),
    pages={
        "/explore": ("explorer/explore.js", "explorer/explore.css"),
        "/explore/patterns": ("mined/patterns.js", "explorer/explore.css"),
    },
    links={"Explore": "/explore"},
    opponents=GoSite.opponents,
    styles=("go.css", "mined/patterns.css", "predict/predict.css"),
)
