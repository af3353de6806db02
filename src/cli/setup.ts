/** `countersign setup`: a one-time link by which the first reviewer enrols in the browser. */
import { command } from "./command.ts";
import { operate } from "./operate.ts";
import { hint, printJson, printWords } from "./output.ts";

export const setup = command({
  name: "setup",
  description: "Print a one-time link for the first reviewer (10 minutes, 5 tries)",
  options: ["public-url", "insecure-http", "port"],
  run: (args, flags) =>
    operate(flags, "make", async ({ operating, url, urlKnown }) => {
      const { code, expiresAt } = await operating.newSetupCode();
      // In the fragment, which reaches neither a log nor a Referer.
      const link = `${url}/setup#code=${code}`;
      if (args["json"]) return printJson({ code, url: link, expiresAt: new Date(expiresAt).toISOString() });
      printWords(link);
      hint(
        "Open this link yourself, in a browser, within 10 minutes. Whoever opens it first becomes the reviewer: do not paste it where an agent can read it.",
      );
      if (!urlKnown)
        hint(
          `No server seems to run on this data folder; ${url} is the default address. Start it with “countersign serve”.`,
        );
    }),
});
