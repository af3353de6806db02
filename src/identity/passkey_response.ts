/** The shapes that a browser sends back from a passkey ceremony: checked and bounded before anything decodes them. */
import { z } from "zod";

const base64url = (max: number): z.ZodString =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/);
/** Web Authentication Level 3 bounds a credential id at 1,023 bytes. */
const credentialId = base64url(1_364);
const clientData = base64url(8_192);

const Credential = z.object({ id: credentialId, rawId: credentialId, type: z.literal("public-key") });

const Registration = Credential.extend({
  response: z.object({
    clientDataJSON: clientData,
    attestationObject: base64url(32_768),
    transports: z.array(z.string().max(32)).max(16).nullish(),
  }),
});

const Assertion = Credential.extend({
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: base64url(8_192),
    signature: base64url(8_192),
    userHandle: z.string().max(256).nullish(),
  }),
});

interface Ceremony<Response> {
  id: string;
  rawId: string;
  type: "public-key";
  response: Response;
  /** Nothing here reads what extensions say. */
  clientExtensionResults: Record<string, never>;
}

export type RegistrationResponse = Ceremony<{
  clientDataJSON: string;
  attestationObject: string;
  transports?: string[];
}>;
export type AssertionResponse = Ceremony<{
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
}>;

/** Undefined when it is no RegistrationResponseJSON. */
export function readRegistration(value: unknown): RegistrationResponse | undefined {
  const { success, data } = Registration.safeParse(value);
  if (!success) return undefined;
  const { transports, ...response } = data.response;
  return { ...data, response: { ...response, ...(transports ? { transports } : {}) }, clientExtensionResults: {} };
}

/** Undefined when it is no AuthenticationResponseJSON. */
export function readAssertion(value: unknown): AssertionResponse | undefined {
  const { success, data } = Assertion.safeParse(value);
  if (!success) return undefined;
  const { userHandle, ...response } = data.response;
  return { ...data, response: { ...response, ...(userHandle ? { userHandle } : {}) }, clientExtensionResults: {} };
}
