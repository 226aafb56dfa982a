// The theme: light, dark, or that of the system. Runs before the first paint, so that nothing flashes.
// Also handles the theme switch in the header, and stores its setting.
(() => {
  const THEMES = ["auto", "light", "dark"];
  const WORDS = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  const root = document.documentElement;

  function stored() {
    try { return localStorage.getItem("kibitz.theme"); } catch { return null; }
  }

  function apply(theme) {
    root.dataset.theme = theme;
    for (const name of ["aria-label", "title"]) document.getElementById("theme")?.setAttribute(name, WORDS[theme]);
  }

  const asked = new URLSearchParams(location.search).get("theme") ?? stored() ?? "auto";
  apply(THEMES.includes(asked) ? asked : "auto");
  document.addEventListener("DOMContentLoaded", () => {
    apply(root.dataset.theme);
    document.getElementById("theme")?.addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
      try { localStorage.setItem("kibitz.theme", next); } catch { /* works without */ }
      apply(next);
    });
  });
})();
