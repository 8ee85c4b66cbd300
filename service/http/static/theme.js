/* The scheme that the visitor chose, set before anything is drawn. */
document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "";
