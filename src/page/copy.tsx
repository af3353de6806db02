/** Every word that a page says. Agents' and people's own text never passes through here. */

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export const copy = {
  product: "Countersign",
  motto: "The model proposes; a person countersigns.",
  nav: { inbox: "Inbox", signOut: "Sign out", signedInAs: "Signed in as", skip: "Skip to the content" },
  insecure:
    "This server is reached over plain http. Whoever sits between you and it can read and change this page. Passkeys are off and every decision takes your password.",
  errors: {
    title: "Please check",
    one: "One thing needs your attention",
    many: (count: number) => `${count} things need your attention`,
  },
  password: "Password",
  name: "Name",
  passkeyButton: "Use a passkey",
  noScript: "Passkeys need scripts, which are off in this browser.",
  signIn: {
    title: "Sign in",
    lead: "Sign in to see what is waiting for your decision.",
    leadBack: "Sign in to go on to the page you opened.",
    button: "Sign in",
    or: "or with your password",
    refused: "The name or the password is not right. Check both and try again.",
    limited: (seconds: number) => `Too many tries. Wait ${counted(seconds, "second")} and try again.`,
    passkeyRefused: "This passkey was not accepted here. Try another one, or use your name and password.",
    nobody: "Nobody can sign in yet: no reviewer is enrolled.",
    nobodyHow: "On the machine that runs Countersign, run",
    nobodyThen: "and open the link that it prints.",
  },
  setup: {
    title: "Set up the first reviewer",
    lead: "You are about to become the person who decides. The setup code proves that you run this server: it was printed by the command below and works once, for 10 minutes.",
    code: "Setup code",
    codeHint: "Three groups of five, such as 7K2QF-0XW9M-R4TBD.",
    nameHint: "How colleagues and receipts will call you.",
    passwordHint: "At least 8 characters. A long sentence is a good password.",
    passwordButton: "Use a password",
    how: "How do you want to prove that it is you?",
    passkeyHint: "Recommended: your fingerprint, face or security key confirms each decision with one touch.",
    or: "or",
    passkeysOff:
      "Passkeys are not available at this address: browsers offer them only on https and on http://localhost, never on a bare IP address.",
    wrongCode:
      "This code is wrong, used, or older than 10 minutes. Make a new one on the machine that runs Countersign.",
    closedTitle: "Setup is over",
    closed: "A reviewer is enrolled already. Sign in, or ask the operator to add you.",
  },
  inbox: {
    title: "Waiting for you",
    count: (count: number, more: boolean) =>
      more ? `The ${counted(count, "newest request")}` : counted(count, "request"),
    empty: "Nothing is waiting",
    emptyThen:
      "When an agent asks for an approval it appears here, and the agent gets a link to hand to you. You can close this page; nothing is decided without you.",
    older: "Older requests",
    newest: "Back to the newest",
    expires: "Expires",
    cut: "… (continues)",
  },
  review: {
    asks: (agent: string) => `${agent} asks`,
    written: "Written by the agent, not by Countersign.",
    payload: "What runs if you submit",
    payloadWithForm: "Read-only context",
    template: "The agent sent a display template; this version shows the payload itself.",
    noPayload: "There is no payload. The agent receives only your answers below.",
    form: "Your answers",
    formNote: "The agent receives these values. You see them once more before anything is sent.",
    required: "required",
    requiredNote: "Fields marked * are required.",
    owner: "This agent works for you. Your decision is recorded as made by the requester's owner.",
    changed: "This request is not the one that was shown before. Read it again before you decide.",
    late: "It can no longer be decided.",
  },
  requester: {
    agent: "Agent",
    owner: "Works for",
    nobody: "nobody named",
    client: "Says it runs in",
    claim: "a claim, not checked",
    asked: "Asked",
    expires: "Expires",
    digest: "Digest",
    details: "About this request",
    id: "Request",
  },
  enrolled: {
    title: (count: number) => `${counted(count, "new reviewer")} in the last 7 days`,
    way: { web: "on the web, with the setup code", cli: "on the command line" },
    by: (user: string) => ` by ${user}`,
    hint: "If you did not expect this, decide nothing and ask the operator.",
  },
  payload: {
    size: (values: number, bytes: number) => `${counted(values, "value")}, ${counted(bytes, "byte")}`,
    hidden: (count: number) =>
      `${counted(count, "character")} here ${count === 1 ? "is" : "are"} invisible or ${count === 1 ? "changes" : "change"} the order of text. Each is drawn as a mark such as ⟦U+202E⟧.`,
    entries: (count: number) => counted(count, "entry", "entries"),
    end: "End of the payload",
  },
  field: {
    yes: "Yes",
    no: "No",
    none: "No answer",
    choose: "Choose…",
    integer: "A whole number",
    number: "A number",
    atLeast: (value: number) => `${value} or more`,
    atMost: (value: number) => `${value} or less`,
    between: (low: number, high: number) => `${low} to ${high}`,
    characters: (low: number | undefined, high: number | undefined) =>
      high === undefined
        ? `At least ${counted(low ?? 0, "character")}`
        : low === undefined || low === 0
          ? `At most ${counted(high, "character")}`
          : `${low} to ${counted(high, "character")}`,
    picks: (low: number | undefined, high: number | undefined) =>
      high === undefined
        ? `Choose at least ${low ?? 0}`
        : low === undefined || low === 0
          ? `Choose at most ${high}`
          : low === high
            ? `Choose ${low}`
            : `Choose ${low} to ${high}`,
    email: "An e-mail address, such as anna@example.com",
    uri: "A full address, such as https://example.com/page",
    date: "A date, such as 2026-11-30",
    dateTime: "Date, time and offset, such as 2026-11-30T14:30:00+01:00 or 2026-11-30T13:30:00Z",
  },
  decide: {
    bar: "Your decision",
    comment: "Add a comment",
    commentHint: "Optional; the agent receives it. At most 2,000 characters.",
    submitWord: "submit",
    declineWord: "decline",
    orPassword: "Use your password instead",
    declinePassword: "Only to decline; submitting asks later.",
    passkeyTouch: "Your passkey confirms the decision.",
    expires: "expires",
    wrong: "The password is not right. Nothing was decided.",
    missing: "Type your password to decide.",
    missingPasskey:
      "This decision takes your passkey. Nothing was decided. Turn scripts on in this browser, or ask the operator for a password.",
    wrongPasskey: "The passkey was not accepted for this decision. Nothing was decided.",
    limited: "Too many tries. Nothing was decided. Wait a minute and try again.",
  },
  confirm: {
    title: { submitted: "Confirm what you submit", declined: "Confirm that you decline" },
    receives: "The agent will receive exactly",
    receivesNothing: "The agent will be told that you declined. It receives no answers.",
    receivesPayload: "The agent will be told to go on with the payload that you have read.",
    context: "With the payload that you have read, unchanged",
    comment: "Your comment",
    button: "Confirm",
    back: "Change",
    end: "End of the answer",
    unsent: "Nothing has been sent yet.",
    until: "This page works until",
  },
  closed: {
    submitted: "Submitted",
    declined: "Declined",
    canceled: "Canceled",
    expired: "Expired",
    by: (word: string, name: string, at: string) => `${word} by ${name} at ${at}`,
    at: (word: string, at: string) => `${word} at ${at}`,
    byRequester: (at: string) => `Canceled by the requester at ${at}`,
    expiredNote: "Nobody decided in time. Expiry never approves anything; the agent can ask again.",
    canceledNote: "Nothing was approved, and there is nothing left to decide.",
    reason: "Reason given",
    waiting: "The agent has not fetched the result yet. It can, even if it lost its connection.",
    consumed: "The agent fetched the result at",
    comment: "Comment",
    assurance: { session: "with the session", reauthenticated: "with the password", "user-verified": "with a passkey" },
    proved: "proved",
    lost: "Your press changed nothing: the request was closed before it arrived.",
    next: "Back to the inbox",
    asked: "What was asked",
  },
  problem: {
    notFound: "There is nothing here",
    notFoundText:
      "The address is wrong, or what it led to is gone or was never meant for you. Check the link, or look in the inbox.",
    lapsed: "This confirmation is over",
    lapsedText:
      "Confirmations work once and for five minutes. Nothing was decided by this press. Open the request again and decide there.",
    again: "Open the request again",
    inbox: "Go to the inbox",
    reference: "If you tell the operator about this, give this reference:",
  },
} as const;
