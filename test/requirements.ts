/**
 * The rules that this product is held to, each once: an id, the rule in our words, where it comes from. A test cites
 * a rule by writing its id in brackets into its own name, for example `[BR 104]`; `requirements.test.ts` fails on a
 * rule that no test cites, on a citation of no rule, and on a reason that has become untrue.
 *
 * BR = public bug report about a product of this kind (the report's repository and number are the source).
 */
export interface Requirement {
  readonly id: string;
  /** What must hold here. */
  readonly rule: string;
  readonly source: string;
  /** Why no test stands for it yet. Absent: a test must cite it. */
  readonly reason?: string;
}

const LATER_SSO =
  "Sign-in through an identity provider is not part of this release; it is listed for the release that brings it.";
const LATER_NOTIFY =
  "No mail, chat message or export is sent by this release; the page and the tools are covered by the other rules on time.";

export const REQUIREMENTS: readonly Requirement[] = [
  // A. MCP hosts (the lines that this part touches)
  {
    id: "BR 5",
    rule: "An answer with no content never counts as one: a required field that is missing is a field error.",
    source: "openai/codex#41797",
  },
  {
    id: "BR 13",
    rule: "An all-optional form that is submitted untouched gives {}.",
    source: "modelcontextprotocol/inspector#926",
  },
  {
    id: "BR 16",
    rule: "A field that was typed into and cleared is left out, without an error.",
    source: "assistant-ui/assistant-ui#5377",
  },
  {
    id: "BR 17",
    rule: "Only plain decimal forms are read as numbers; everything else is a field error, never a guess.",
    source: "QwenLM/qwen-code#4405",
  },
  {
    id: "BR 19",
    rule: "minItems and maxItems of a multi-select are checked on the server.",
    source: "modelcontextprotocol/go-sdk#791",
  },
  {
    id: "BR 20",
    rule: "A titled single-select is read with and without type string.",
    source: "PrefectHQ/fastmcp#2772",
  },
  {
    id: "BR 27",
    rule: "A wait that nobody answers ends within its window as a normal pending answer that says to call again.",
    source: "triggerdotdev/trigger.dev#3032",
  },
  {
    id: "BR 28",
    rule: "A public URL that is not http or https is refused at the start.",
    source: "google-gemini/gemini-cli#28089",
  },
  // B. Restart, reconnect, waiting and proxies (the lines that this part touches)
  {
    id: "BR 31",
    rule: "Unknown and foreign ids get one unchanging not_found without a retry hint.",
    source: "openclaw/openclaw#65486",
  },
  { id: "BR 33", rule: "Pending is told as undecided, never as a refusal.", source: "openai/codex#29627" },
  {
    id: "BR 43",
    rule: "An approval without a lifetime gets the documented default, and it is told.",
    source: "vercel/workflow#553",
  },
  { id: "BR 47", rule: "An unknown session is 404, never 503 or 200.", source: "markmhendrickson/neotoma#1923" },
  { id: "BR 48", rule: "A lost session shows in the HTTP status.", source: "actionhero/keryx#503" },
  {
    id: "BR 52",
    rule: "A wait that is asked for longer than allowed is clamped, and the answer says how long it waited.",
    source: "n8n-io/n8n-docs#3531",
  },
  // C. Racing, repeating and late decisions
  {
    id: "BR 55",
    rule: "Two decisions posted at once by one session: one takes effect, the other is told it is already decided; one closing event.",
    source: "useautumn/autumn#2903",
  },
  {
    id: "BR 56",
    rule: "The person whose decision succeeded sees no error from the twin click, whichever process served it.",
    source: "fivexl/terraform-aws-sso-elevator#212",
  },
  {
    id: "BR 57",
    rule: "A claim key is taken once: the first key claims, another is already_claimed, the same key claims again.",
    source: "homeassistant-ai/ha-mcp#2387",
  },
  {
    id: "BR 59",
    rule: "Twenty parallel posts of one decision leave exactly one decision row.",
    source: "apache/inlong#7892",
  },
  { id: "BR 60", rule: "A real double click shows the result, not an error.", source: "epam/ai-dial-chat#5784" },
  { id: "BR 61", rule: "After repeated clicks the trail holds one closing event.", source: "gitcoinco/web#2193" },
  {
    id: "BR 63",
    rule: "A decided approval cannot be decided again the other way with an old intent; the stored decision is shown.",
    source: "langchain-ai/langgraph#6663",
  },
  {
    id: "BR 64",
    rule: "A tool call that is repeated reuses the approval it already has instead of asking again.",
    source: "langchain-ai/langgraph#7780",
  },
  {
    id: "BR 65",
    rule: "A decision past the deadline is refused with the time of expiry and noted in the trail; nothing is approved.",
    source: "tinyhumansai/opencompany#1449",
  },
  {
    id: "BR 67",
    rule: "The result of an expired approval says that it expired, was not approved, and what to do; it is not pending.",
    source: "LanternOps/breeze#3090",
  },
  {
    id: "BR 68",
    rule: "Expired approvals leave the pending list, and expired, already decided and changed are told apart.",
    source: "black-candle-technologies/lumen#13",
  },
  { id: "BR 69", rule: "No sequence of steps leads from expired to decided.", source: "octos-org/octos#1451" },
  {
    id: "BR 71",
    rule: "A page left open past the deadline decides nothing when it is pressed later.",
    source: "consento-org/mobile#43",
  },
  { id: "BR 72", rule: "Tools and documents say what expiry means: never an approval.", source: "n8n-io/n8n#13160" },
  // D. Who may decide
  {
    id: "BR 75",
    rule: "Of two approvals of one agent, deciding one leaves the other pending.",
    source: "windmill-labs/windmill#2639",
  },
  {
    id: "BR 81",
    rule: "One vocabulary for statuses and decisions in database, tools and pages.",
    source: "SoftBacon-Software/mycelium#117",
  },
  {
    id: "BR 83",
    rule: "An agent owned by the reviewer: agent and owner are both recorded and shown, and the page says whose agent asks.",
    source: "evoila/meho#1738",
  },
  // E. Forgery, binding and canonical form
  {
    id: "BR 97",
    rule: "A proof made for one approval decides no other, whatever its payload.",
    source: "orka-agents/orka#306",
  },
  { id: "BR 100", rule: "Digests do not depend on key order (RFC 8785).", source: "aeoess/agent-passport-system#94" },
  {
    id: "BR 101",
    rule: "Digests do not depend on the machine's locale.",
    source: "6529-Collections/6529seize-frontend#2556",
  },
  {
    id: "BR 103",
    rule: "The digest of a payload is the same when made, after reading it back, and after a restart.",
    source: "Ancienttwo/repo-harness#140",
  },
  // F. Payload fidelity and display
  {
    id: "BR 104",
    rule: "A number that would be rounded is refused with its pointer; every other is shown and handed back as written.",
    source: "earendil-works/pi#8943",
  },
  {
    id: "BR 107",
    rule: "Bidi marks are drawn as visible escapes in payload and texts, and refused in labels.",
    source: "denoland/deno#36195",
  },
  {
    id: "BR 108",
    rule: "Every hidden character of the payload is drawn as a visible token, not only control characters.",
    source: "kovyrin/agent-secret#66",
  },
  {
    id: "BR 109",
    rule: "Padding with blanks or line breaks cannot push a part of the payload out of sight.",
    source: "NousResearch/hermes-agent#81403",
  },
  {
    id: "BR 111",
    rule: "A text that reorders does not reach beyond its own place on the page.",
    source: "niekcandaele/sitrep#33",
  },
  { id: "BR 112", rule: "Nothing of the payload is cut off on the page.", source: "jonigl/mcp-client-for-ollama#268" },
  {
    id: "BR 115",
    rule: "A large payload is plain text, so that the page does not freeze.",
    source: "stacklok/toolhive-studio#2226",
  },
  {
    id: "BR 119",
    rule: "A lone surrogate, as value or key, is refused when the approval is created, and nothing breaks.",
    source: "THU-MAIC/OpenMAIC#1493",
  },
  {
    id: "BR 120",
    rule: "The escaped text \\\\u0000 is not altered, and a real NUL survives in the payload.",
    source: "kodustech/kodus-ai#1683",
  },
  {
    id: "BR 121",
    rule: '"hello", null, 0, false, [] and "" are payloads, shown and handed back unchanged; null is not missing.',
    source: "xerrors/Yuxi#791",
  },
  {
    id: "BR 123",
    rule: "Several approvals of one agent are decided in any order, each on its own.",
    source: "langchain-ai/agent-inbox-langgraph-example#1",
  },
  {
    id: "BR 133",
    rule: "The decision bar is visible on the smallest phone, in landscape and at 200 % zoom.",
    source: "hellosign/hellosign-embedded#22",
  },
  // G. Form values
  {
    id: "BR 135",
    rule: "A required boolean without default has no answer until one is chosen, and false is an answer.",
    source: "rjsf-team/react-jsonschema-form#48",
  },
  {
    id: "BR 136",
    rule: "false can be sent, also after true was chosen first.",
    source: "rjsf-team/react-jsonschema-form#338",
  },
  {
    id: "BR 137",
    rule: "A required boolean accepts false: required means answered, not ticked. Documented.",
    source: "SparkDevNetwork/Rock#7051",
  },
  {
    id: "BR 139",
    rule: "A cleared optional number is left out; a cleared required one is an error; neither is 0.",
    source: "rjsf-team/react-jsonschema-form#369",
  },
  { id: "BR 140", rule: "A number without default starts empty.", source: "rjsf-team/react-jsonschema-form#137" },
  {
    id: "BR 141",
    rule: "A cleared optional integer is left out, never null.",
    source: "rjsf-team/react-jsonschema-form#5213",
  },
  {
    id: "BR 143",
    rule: "An integer field refuses 3.7, 3.0, 1e2 and 9007199254740993 with a sentence; nothing is rounded.",
    source: "pallets-eco/wtforms#659",
  },
  {
    id: "BR 144",
    rule: "A date-time answer carries an offset (RFC 3339), and the page tells the expected form.",
    source: "jsonform/jsonform#407",
  },
  {
    id: "BR 145",
    rule: "A date answer stays the date that was typed, whatever the time zone.",
    source: "rjsf-team/react-jsonschema-form#3930",
  },
  {
    id: "BR 147",
    rule: "An offset such as -7:00 is refused with the form that is expected.",
    source: "jsonrainbow/json-schema#572",
  },
  // H. Links (the lines that this part touches)
  {
    id: "BR 152",
    rule: "A link opened signed out, by a person or a preview bot, shows nothing of the approval.",
    source: "canvasxai/sketch#408",
  },
  {
    id: "BR 159",
    rule: "Links to closed, unknown, foreign and malformed ids show a humane page; unknown and foreign look the same.",
    source: "n8n-io/n8n#14470",
  },
  // I. Sign-in, deployment, storage
  {
    id: "BR 171",
    rule: "Signing in leads back to the address that was asked for, with its query.",
    source: "flipt-io/flipt#6436",
  },
  {
    id: "BR 172",
    rule: "The way back survives sign-in without anything kept in the browser's storage.",
    source: "OKDP/okdp-spark-auth-filter#98",
  },
  {
    id: "BR 173",
    rule: "The way back never leaves this origin, however it is written.",
    source: "marimo-team/marimohub#50",
  },
  {
    id: "BR 175",
    rule: "Every way of becoming a reviewer goes through the same checks.",
    source: "Budibase/budibase#19385",
  },
  {
    id: "BR 176",
    rule: "Which identity providers are trusted is a setting that is audited.",
    source: "lightdash/lightdash#12860",
    reason: LATER_SSO,
  },
  {
    id: "BR 177",
    rule: "The passkeys' domain comes from the public URL, not the bind address; on an IP address they are off, with an explanation.",
    source: "securo-finance/securo#403",
  },
  {
    id: "BR 179",
    rule: "A passkey for another domain or origin is refused, and the configuration check names both values.",
    source: "pocket-id/pocket-id#260",
  },
  {
    id: "BR 180",
    rule: "Origin checks use the public URL, so that they hold where TLS ends at a proxy.",
    source: "bangumi/server-private#1740",
  },
  {
    id: "BR 181",
    rule: "Links start with the public URL; a forged Host header never enters one.",
    source: "mozilla/send#831",
  },
  {
    id: "BR 183",
    rule: "No document names an internal host: a 401 carries no resource_metadata while no issuer is configured.",
    source: "homarr-labs/homarr#6628",
  },
  {
    id: "BR 187",
    rule: "Several processes on one SQLite file wait for each other instead of failing.",
    source: "WiseLibs/better-sqlite3#1155",
  },
  { id: "BR 188", rule: "A database on a network file system is refused.", source: "David-Crty/databasement#344" },
  // J. Time
  { id: "BR 191", rule: "Every time on a page is printed with its zone.", source: "linuxfoundation/easycla#1060" },
  {
    id: "BR 192",
    rule: "The server's time zone has no effect on what is stored or shown.",
    source: "LibreSign/libresign#4314",
  },
  {
    id: "BR 193",
    rule: "An expiry near midnight is shown as the same instant everywhere.",
    source: "mtlynch/picoshare#641",
  },
  {
    id: "BR 195",
    rule: "Messages tell absolute time, zone and relative time.",
    source: "derhansen/sf_event_mgt#175",
    reason: LATER_NOTIFY,
  },
  {
    id: "BR 196",
    rule: "A deadline is never a bare date: it has a time and a zone, also across a change of clocks.",
    source: "ietf-tools/datatracker#1825",
  },
  // M. Keyboard and accessibility (the lines that this part touches)
  {
    id: "BR 215",
    rule: "Enter in a field never decides, and the buttons are armed only after the page has stood a moment.",
    source: "anthropics/claude-code#37955",
  },
  { id: "BR 216", rule: "The first focus is not on a button that decides.", source: "QubesOS/qubes-issues#4185" },
  { id: "BR 219", rule: "After a decision the focus is on the result.", source: "RamaHerbin/fancy-ui#187" },
  {
    id: "BR 220",
    rule: "A decision button's accessible name carries its label and the request.",
    source: "tinyhumansai/opencompany#1603",
  },
];
