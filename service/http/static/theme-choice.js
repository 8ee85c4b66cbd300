/** The button that changes between the light and the dark scheme. */

import { find, t } from "./dom.js";

const root = document.documentElement;

function isDark() {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Have the button in the page's head work. */
export function offerThemes() {
  const button = find("#theme");
  const label = () => button.setAttribute("aria-label", t(isDark() ? "theme.light" : "theme.dark"));
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
    label();
  });
  label();
}
