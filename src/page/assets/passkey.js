// @ts-check
/** Passkeys: the ceremonies of signing in, of enrolling, and of deciding, each with one touch. */
(() => {
  "use strict";

  const webauthn = /** @type {typeof import("@simplewebauthn/browser")} */ (
    Reflect.get(window, "SimpleWebAuthnBrowser")
  );
  const page =
    /** @type {{ setBusy(form: HTMLFormElement, pressed: HTMLElement | null): void, setIdle(form: HTMLFormElement): void }} */ (
      Reflect.get(window, "countersign")
    );

  /** A refusal that the server put into words. */
  class Refused extends Error {
    /**
     * @param {string} message
     * @param {string | undefined} target Where the page that tells more is.
     */
    constructor(message, target) {
      super(message);
      this.target = target;
    }
  }

  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>}
   */
  async function post(path, body) {
    /** @type {HTMLInputElement | null} */
    const token = document.querySelector('form#decide [name="csrf"]');
    const csrf = token?.value;
    const response = await fetch(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(csrf !== undefined && { "x-csrf": csrf }),
      },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    const target =
      response.status === 401
        ? `/signin?returnTo=${encodeURIComponent(location.pathname + location.search)}`
        : answer.location;
    throw new Refused(answer.detail ?? "Something went wrong. Try again.", target);
  }

  /** @param {unknown} error */
  function words(error) {
    if (error instanceof Refused) return error.message;
    const name = error instanceof Error ? error.name : "";
    if (name === "NotAllowedError" || name === "AbortError")
      return "The passkey was not used: canceled, timed out, or there is none here for you. Nothing was decided.";
    if (name === "InvalidStateError") return "This device already holds a passkey for you here.";
    if (name === "TypeError") return "The server could not be reached. Nothing was decided. Try again.";
    return `The browser refused the passkey: ${error instanceof Error ? error.message : "unknown reason"} (page ${location.origin}).`;
  }

  /** @param {string} text */
  function tell(text) {
    /** @type {HTMLElement | null} */
    const alert = document.querySelector("#script-alert");
    if (alert === null) return;
    alert.hidden = false;
    alert.textContent = text;
    alert.focus();
  }

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLElement | null} pressed
   * @param {() => Promise<string>} ceremony Returns where to go.
   */
  async function run(form, pressed, ceremony) {
    if (form.dataset["busy"] !== undefined) return;
    page.setBusy(form, pressed);
    try {
      location.assign(await ceremony());
    } catch (error) {
      page.setIdle(form);
      if (error instanceof Refused && error.target !== undefined) location.assign(error.target);
      else tell(words(error));
    }
  }

  /**
   * @param {HTMLFormElement} form
   * @param {string} name
   */
  function value(form, name) {
    const found = new FormData(form).get(name);
    return typeof found === "string" ? found : "";
  }

  /** @param {any} optionsJSON */
  function assert(optionsJSON) {
    return webauthn.startAuthentication({ optionsJSON });
  }

  /**
   * Prepares this decision, signs it, and sends the signature.
   * @param {HTMLFormElement} form
   * @param {string} decision
   */
  async function decide(form, decision) {
    const elicitationId = form.dataset["approval"];
    const prepared =
      form.dataset["passkey"] === "confirm"
        ? await post("/confirm/passkey/options", { intentId: form.dataset["intent"] })
        : await post("/review/passkey", {
            elicitationId,
            decision,
            requestDigest: value(form, "requestDigest"),
            comment: value(form, "comment"),
          });
    // The first press of two has decided already.
    if (prepared.location !== undefined) return prepared.location;
    const response = await assert(prepared.options);
    return (await post("/confirm/passkey", { intentId: prepared.intentId, elicitationId, response })).location;
  }

  document.addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const mode = form.dataset["passkey"];
    if (mode === undefined || event.defaultPrevented || !webauthn.browserSupportsWebAuthn()) return;
    const decision = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value ?? "";
    // A typed password is a choice; a form's answers go by the confirm page.
    if (value(form, "password") !== "" || (mode === "declined" && decision !== "declined")) return;
    event.preventDefault();
    void run(form, event.submitter, () => decide(form, decision));
  });

  /** @type {HTMLButtonElement | null} */
  const signIn = document.querySelector("[data-passkey-signin]");
  signIn?.addEventListener("click", () => {
    const form = /** @type {HTMLFormElement} */ (signIn.form);
    void run(form, signIn, async () => {
      const { challengeId, options } = await post("/signin/passkey/options", {});
      const response = await assert(options);
      return (await post("/signin/passkey", { challengeId, response, returnTo: value(form, "returnTo") })).location;
    });
  });

  /** @type {HTMLButtonElement | null} */
  const setUp = document.querySelector("[data-passkey-setup]");
  setUp?.addEventListener("click", () => {
    const form = /** @type {HTMLFormElement} */ (setUp.form);
    void run(form, setUp, async () => {
      const who = { code: value(form, "code"), name: value(form, "name") };
      const { challengeId, options } = await post("/setup/passkey/options", who);
      const response = await webauthn.startRegistration({ optionsJSON: options });
      return (await post("/setup/passkey", { ...who, challengeId, response })).location;
    });
  });
})();
