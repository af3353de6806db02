// @ts-check
/**
 * What scripts add to the pages; without them everything but passkeys works.
 *
 * Loaded in the head without `defer`, so that no press slips in before it listens.
 */
(() => {
  "use strict";

  /** A press sooner than this after the page is seen was meant for something else. */
  const ARM_MS = 500;
  let armed = false;

  document.documentElement.classList.add("scripted");

  // Before anything is armed, and while a press is under way, further presses do nothing.
  document.addEventListener(
    "submit",
    (event) => {
      const form = /** @type {HTMLFormElement} */ (event.target);
      const decides = form.id === "decide";
      if ((decides && !armed) || form.dataset["busy"] !== undefined) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      if (decides && !datesReadable(form)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    true,
  );
  // After the other listeners: one of them may have taken the press over.
  window.addEventListener("submit", (event) => {
    if (!event.defaultPrevented) setBusy(/** @type {HTMLFormElement} */ (event.target), event.submitter);
  });

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLElement | null} pressed
   */
  function setBusy(form, pressed) {
    form.dataset["busy"] = "";
    pressed?.setAttribute("aria-busy", "true");
    // Not disabled: a disabled button would not be posted, and its name is the decision.
    for (const button of form.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
  }

  /** @param {HTMLFormElement} form */
  function setIdle(form) {
    delete form.dataset["busy"];
    for (const button of form.querySelectorAll("button")) {
      button.removeAttribute("aria-disabled");
      button.removeAttribute("aria-busy");
    }
  }

  /**
   * A half-typed date has an empty value and would be posted as no answer.
   * @param {HTMLFormElement} form
   */
  function datesReadable(form) {
    for (const input of form.querySelectorAll("input")) {
      if (input.validity.badInput) {
        input.reportValidity();
        return false;
      }
    }
    return true;
  }

  function decisionButtons() {
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = document.querySelectorAll("button[data-decision]");
    return buttons;
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let arming;
  function arm() {
    clearTimeout(arming);
    arming = setTimeout(() => {
      armed = true;
      for (const button of decisionButtons()) button.disabled = false;
    }, ARM_MS);
  }
  function disarm() {
    clearTimeout(arming);
    armed = false;
    for (const button of decisionButtons()) button.disabled = true;
  }
  function seen() {
    return document.visibilityState === "visible" && document.hasFocus();
  }

  const loadedAt = Date.now();
  /** Reads the page again once what it says is over: also after hours in the background, when no timer ran. */
  function checkTime() {
    const { now, expires } = document.body.dataset;
    if (expires === undefined || now === undefined) return;
    const serverNow = Number(now) + (Date.now() - loadedAt);
    if (serverNow >= Number(expires)) {
      location.reload();
      return;
    }
    for (const time of document.querySelectorAll("time[data-relative]")) {
      time.textContent = inWords(Date.parse(/** @type {HTMLTimeElement} */ (time).dateTime) - serverNow);
    }
    setTimeout(checkTime, Math.min(Number(expires) - serverNow + 50, 15_000));
  }
  /** @param {number} ms */
  function inWords(ms) {
    const days = Math.floor(ms / 86_400_000);
    if (days >= 1) return `in ${days} day${days === 1 ? "" : "s"}`;
    if (ms >= 3_600_000) return `in ${Math.floor(ms / 3_600_000)} h`;
    return ms >= 60_000 ? `in ${Math.floor(ms / 60_000)} min` : "in under 1 min";
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (decisionButtons().length > 0) {
      disarm();
      if (seen()) arm();
      window.addEventListener("focus", () => seen() && !armed && arm());
      // Focus may have gone into a frame of ours: still the same page.
      window.addEventListener("blur", () => setTimeout(() => seen() || disarm(), 0));
      document.addEventListener("visibilitychange", () => (seen() ? !armed && arm() : disarm()));
    }
    checkTime();
    document.addEventListener("visibilitychange", () => seen() && checkTime());

    // The setup code arrives in the fragment, which no log sees; it is taken out of the address at once.
    /** @type {HTMLInputElement | null} */
    const code = document.querySelector("[data-setup] #code");
    const given = /^#code=(.+)$/.exec(location.hash)?.[1];
    if (code !== null && given !== undefined) {
      code.value = decodeURIComponent(given);
      history.replaceState(null, "", location.pathname);
    }

    // The fragment of the page that was opened survives the redirect to sign-in only here.
    /** @type {HTMLInputElement | null} */
    const returnTo = document.querySelector('[data-return] [name="returnTo"]');
    if (returnTo !== null && location.hash !== "" && !returnTo.value.includes("#")) returnTo.value += location.hash;
  });

  // Back from the history, the page is as it was left: busy for ever, and perhaps over.
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const form of document.forms) setIdle(form);
    checkTime();
  });

  Object.assign(window, { countersign: { setBusy, setIdle } });
})();
