/**
 * A new approval from what an agent sent: limits, defaults, clamps, and the digest of what is asked.
 */
import type { Approval, Labels, PendingApproval, Policy, Requester } from "./approval.ts";
import type { ApprovalInput } from "./approvals.ts";
import { digestOf } from "./canonical.ts";
import { ApprovalError } from "./errors.ts";
import { type FormSchema, readRequestedSchema, schemaText } from "./form.ts";
import { hasHidden, withoutHidden } from "./hidden.ts";
import { checkStorable, readClamped, readIdempotencyKey, readText } from "./inputs.ts";
import { faultError, escapeKey, type JsonValue, scanJson } from "./json_text.ts";

export interface RequestLimits {
  readonly expiresMinSeconds: number;
  readonly expiresMaxSeconds: number;
  readonly expiresDefaultSeconds: number;
}

export const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  expiresMinSeconds: 60,
  expiresMaxSeconds: 604_800,
  expiresDefaultSeconds: 3_600,
};

/** An agent's request after every check: what will be stored. */
export interface ValidRequest {
  readonly message: string;
  /** The payload's JSON text as received; null when there is none. */
  readonly contextText: string | null;
  readonly contextDigest: string | null;
  readonly schemaText: string | null;
  readonly form: FormSchema | null;
  readonly displayTemplate: string | null;
  readonly labels: Labels;
  readonly lifetimeSeconds: number;
  readonly idempotencyKey: string | null;
  readonly requestDigest: string;
  /** The names of the inputs that nothing here understands. */
  readonly ignored: readonly string[];
}

const MESSAGE_LENGTH = 4_000;
const CONTEXT_BYTES = 262_144;
const CONTEXT_DEPTH = 32;
const CONTEXT_VALUES = 20_000;
const TEMPLATE_BYTES = 20_480;
const LABEL_LENGTH = 40;
const DEFAULT_LABELS: Labels = { submit: "Submit", decline: "Decline" };
const KNOWN: readonly string[] = [
  "message",
  "context",
  "requestedSchema",
  "displayTemplate",
  "labels",
  "expiresInSeconds",
  "idempotencyKey",
];
/** Announced, not built: to accept and ignore one of them would let an agent believe it applies. */
const NOT_YET: readonly string[] = ["policy", "reviewers", "minAssurance", "revisionOf"];

/**
 * Checks the arguments of `elicit_approval`. Null in an optional typed input is the same as absent.
 *
 * @throws ApprovalError with the path of the input at fault; nothing is half accepted.
 */
export function readRequest(input: ApprovalInput, limits: RequestLimits): ValidRequest {
  for (const name of NOT_YET) {
    if (isGiven(input[name]))
      throw new ApprovalError(
        "not_supported",
        `${name} is not supported by this server yet. Leave it out; nothing was stored.`,
        { path: `/${name}` },
      );
  }
  const message = readMessage(input.message);
  const asksForm = isGiven(input.requestedSchema);
  const form = asksForm ? readRequestedSchema(input.requestedSchema) : null;
  const storedSchema = asksForm ? schemaText(input.requestedSchema) : null;
  const contextText = readContext(input.context, asksForm);
  if (contextText === null && form === null) {
    throw refused("", "Give context (the payload to approve), requestedSchema (a form to fill in), or both.");
  }
  const displayTemplate = readTemplate(input.displayTemplate);
  const labels = readLabels(input.labels);
  const contextDigest = contextText === null ? null : digestOf("context", parse(contextText));
  return {
    message,
    contextText,
    contextDigest,
    schemaText: storedSchema,
    form,
    displayTemplate,
    labels,
    lifetimeSeconds: readClamped(input.expiresInSeconds, "/expiresInSeconds", {
      least: limits.expiresMinSeconds,
      most: limits.expiresMaxSeconds,
      otherwise: limits.expiresDefaultSeconds,
    }),
    idempotencyKey: readIdempotencyKey(input.idempotencyKey),
    requestDigest: digestRequest({ message, contextDigest, schemaText: storedSchema, displayTemplate, labels }),
    ignored: Object.keys(input).filter(
      (name) => input[name] !== undefined && !KNOWN.includes(name) && !NOT_YET.includes(name),
    ),
  };
}

/** What a request asks, in one digest: the page carries it, the proof signs it, and it must still match when stored text is read again. */
export function digestRequest(
  asked: Pick<Approval, "message" | "contextDigest" | "schemaText" | "displayTemplate" | "labels">,
): string {
  return digestOf("request", {
    kind: "approval",
    message: asked.message,
    contextDigest: asked.contextDigest,
    requestedSchema: asked.schemaText === null ? null : parse(asked.schemaText),
    displayTemplate: asked.displayTemplate,
    labels: { submit: asked.labels.submit, decline: asked.labels.decline },
  });
}

export interface NewApproval {
  readonly workspace: string;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly requester: Requester;
  readonly policy: Policy;
}

/** The approval as it is stored first: pending, with its deadline and the policy frozen in. */
export function newApproval(
  valid: ValidRequest,
  { workspace, id, now, requester, policy }: NewApproval,
): PendingApproval {
  const {
    message,
    contextText,
    contextDigest,
    schemaText: storedSchema,
    labels,
    displayTemplate,
    requestDigest,
    idempotencyKey,
  } = valid;
  return {
    workspace,
    id,
    kind: "approval",
    requester,
    message,
    contextText,
    contextDigest,
    schemaText: storedSchema,
    labels,
    displayTemplate,
    requestDigest,
    policy,
    policyDigest: digestOf("policy", { ...policy }),
    idempotencyKey,
    createdAt: now,
    expiresAt: now + valid.lifetimeSeconds * 1_000,
    status: "pending",
  };
}

function readMessage(value: unknown): string {
  if (!isGiven(value))
    throw refused("/message", "message is required: say in one or two sentences what the person is asked to approve.");
  const message = readText(value, "/message", MESSAGE_LENGTH);
  if (withoutHidden(message).trim() === "")
    throw refused("/message", "message is blank. Say what the person is asked to approve.");
  return message;
}

/** A payload `null` counts only where nothing else is asked: beside a form it is how a client says "none". */
function readContext(text: string | undefined, asksForm: boolean): string | null {
  if (text === undefined || (asksForm && text.trim() === "null")) return null;
  // No text of that many units is shorter in bytes, and a string is never scanned before it is known to be small.
  if (text.length > CONTEXT_BYTES || Buffer.byteLength(text) > CONTEXT_BYTES) {
    throw new ApprovalError(
      "too_large",
      "context is larger than 256 KiB. Send what the person must see, and a link or a digest for the rest.",
      { path: "/context" },
    );
  }
  const fault = scanJson(text, { pointer: "/context", maxDepth: CONTEXT_DEPTH, maxValues: CONTEXT_VALUES });
  if (fault !== undefined) throw faultError(fault);
  return text;
}

/** An empty template draws nothing; it is taken as none, so that the payload is shown. */
function readTemplate(value: unknown): string | null {
  if (!isGiven(value)) return null;
  const path = "/displayTemplate";
  if (typeof value !== "string") throw refused(path, "displayTemplate must be a string: a LiquidJS template.");
  if (Buffer.byteLength(value) > TEMPLATE_BYTES)
    throw new ApprovalError("too_large", "displayTemplate is larger than 20 KB (20,480 bytes). Shorten it.", { path });
  checkStorable(value, path);
  return value.trim() === "" ? null : value;
}

function readLabels(value: unknown): Labels {
  if (!isGiven(value)) return DEFAULT_LABELS;
  if (typeof value !== "object" || Array.isArray(value))
    throw refused("/labels", 'labels must be an object such as {"submit":"Deploy","decline":"Keep as is"}.');
  const given = value as { readonly [name: string]: unknown };
  for (const name of Object.keys(given)) {
    if (name !== "submit" && name !== "decline")
      throw refused(`/labels/${escapeKey(name)}`, "labels knows submit and decline only.");
  }
  return { submit: readLabel(given["submit"], "submit"), decline: readLabel(given["decline"], "decline") };
}

function readLabel(value: unknown, name: "submit" | "decline"): string {
  if (!isGiven(value)) return DEFAULT_LABELS[name];
  const path = `/labels/${name}`;
  const label = readText(typeof value === "string" ? value.trim() : value, path, LABEL_LENGTH);
  if (hasHidden(label) || /[\t\n]/.test(label))
    throw refused(path, "A label must be one line without hidden or reordering characters.");
  return label;
}

function isGiven(value: unknown): value is {} {
  return value !== undefined && value !== null;
}

function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

function refused(path: string, message: string): ApprovalError {
  return new ApprovalError("invalid_request", message, { path });
}
