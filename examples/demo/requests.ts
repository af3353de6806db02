/** What the demo's agent asks: a payload, a form, and both together. */
export interface DemoRequest {
  readonly title: string;
  readonly arguments: { readonly message: string; readonly [input: string]: unknown };
}

const APPROVER_FORM = {
  type: "object",
  properties: {
    approver: { type: "string", title: "Your name", minLength: 2 },
    confidence: { type: "integer", title: "Confidence %", minimum: 0, maximum: 100 },
  },
  required: ["approver", "confidence"],
};

export const REQUESTS: readonly DemoRequest[] = [
  {
    title: "A payload, approved or declined as it is",
    arguments: { message: "Deploy to production", context: { target: "prod" }, expiresInSeconds: 3600 },
  },
  {
    title: "A form, whose values become what is approved",
    arguments: { message: "Approve the deploy", requestedSchema: APPROVER_FORM },
  },
  {
    title: "A payload with a form below it",
    arguments: {
      message: "Approve the deploy",
      context: { service: "elicitly-api", version: "v2.4.0" },
      displayTemplate: "<p>Deploying <strong>{{ context.service }} {{ context.version }}</strong></p>",
      requestedSchema: APPROVER_FORM,
    },
  },
];
