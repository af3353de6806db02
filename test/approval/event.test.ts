import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Actor,
  commitBody,
  draftEvent,
  type Event,
  type EventInput,
  type EventType,
  GENESIS,
  linkEvent,
  verifyChain,
} from "../../src/approval/event.ts";
import { canonicalText } from "../../src/approval/canonical.ts";
import type { JsonValue } from "../../src/approval/json_text.ts";

const actor = fc.record({
  kind: fc.constantFrom<Actor["kind"]>("agent", "reviewer", "cli", "system"),
  id: fc.string(),
  name: fc.string(),
});
const input = fc.record({
  workspace: fc.constant("default"),
  stream: fc.constant("s"),
  type: fc.constantFrom<EventType>("created", "viewed", "decided", "expired"),
  at: fc.nat(),
  actor,
  salt: fc.string({ minLength: 1 }),
  body: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as EventInput["body"]),
});
const chain = fc.array(input, { minLength: 1, maxLength: 6 }).map(link);

function link(inputs: readonly EventInput[]): readonly Event[] {
  let prev = GENESIS;
  return inputs.map((one, index) => {
    const event = linkEvent(draftEvent(one), { seq: index + 1, prev });
    prev = event.hash;
    return event;
  });
}

function sample(length: number): readonly Event[] {
  return link(
    Array.from({ length }, (_, i) => ({
      workspace: "default",
      stream: "s",
      type: "viewed",
      at: i,
      actor: { kind: "reviewer", id: "r", name: "Ann" },
      salt: `salt ${i}`,
      body: { i },
    })),
  );
}

describe("the chain of events", () => {
  test("a chain as it was made is accepted, and its head is the last hash", () => {
    fc.assert(
      fc.property(chain, (events) => void expect(verifyChain(events)).toEqual({ ok: true, head: events.at(-1)?.hash })),
    );
    expect(verifyChain([])).toEqual({ ok: true, head: GENESIS });
  });

  test("a chain is still accepted after storing as JSON and reading again", () => {
    fc.assert(fc.property(chain, (events) => verifyChain(JSON.parse(JSON.stringify(events)) as Event[]).ok));
  });

  test("erasing any bodies with their salts leaves the chain whole", () => {
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (events, erased) => {
        const after = events.map((event, index) => (erased[index] ? { ...event, salt: null, body: null } : event));
        expect(verifyChain(after)).toEqual(verifyChain(events));
      }),
    );
  });

  test("a change to any member of any event is found, at that event or the next", () => {
    const members = [
      "workspace",
      "stream",
      "seq",
      "type",
      "at",
      "actor",
      "commitment",
      "salt",
      "body",
      "prev",
      "hash",
    ] as const;
    fc.assert(
      fc.property(
        chain,
        fc.nat(),
        fc.constantFrom(...members),
        fc.jsonValue({ maxDepth: 1 }),
        (events, place, member, value) => {
          const index = place % events.length;
          const event = events[index] as Event;
          // The same value with its keys in another order is no change.
          fc.pre(canonicalText(event[member] as JsonValue) !== canonicalText(value as JsonValue));
          const changed = events.with(index, { ...event, [member]: value });
          // A body of null is a body like any other while its salt is there; erasing takes both.
          const verified = verifyChain(changed);
          expect(verified.ok).toBe(member === "salt" && value === null && event.body === null);
          if (!verified.ok) expect([1, index + 1, index + 2]).toContain(verified.seq);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("a change in who did it is found", () => {
    const events = sample(3);
    const second = events[1] as Event;
    expect(verifyChain(events.with(1, { ...second, actor: { ...second.actor, name: "Bob" } }))).toMatchObject({
      ok: false,
      seq: 2,
    });
    expect(verifyChain(events.with(1, { ...second, actor: null as unknown as Actor }))).toMatchObject({
      ok: false,
      seq: 2,
    });
  });

  test("removing, doubling, swapping and moving events is found", () => {
    const events = sample(4);
    const [a, b, c, d] = events as [Event, Event, Event, Event];
    expect(verifyChain([b, c, d])).toMatchObject({ ok: false, seq: 1 });
    expect(verifyChain([a, c, d])).toMatchObject({ ok: false, seq: 2 });
    expect(verifyChain([a, b, b, c, d])).toMatchObject({ ok: false, seq: 3 });
    expect(verifyChain([a, c, b, d])).toMatchObject({ ok: false, seq: 2 });
    expect(verifyChain([b, a, c, d])).toMatchObject({ ok: false, seq: 1 });
  });

  test("a tail that was cut off or written anew shows in the head", () => {
    const events = sample(3);
    const head = verifyChain(events);
    expect(verifyChain(events.slice(0, 2))).not.toEqual(head);
    const last = events[2] as Event;
    const forged = linkEvent(draftEvent({ ...last, salt: "other", body: { i: 99 } }), { seq: 3, prev: last.prev });
    expect(verifyChain(events.with(2, forged)).ok).toBe(true);
    expect(verifyChain(events.with(2, forged))).not.toEqual(head);
  });

  test("an event of another stream does not fit, though its own link is right", () => {
    const [first] = sample(1) as [Event];
    const stranger = linkEvent(draftEvent({ ...first, salt: "x", stream: "other" }), { seq: 2, prev: first.hash });
    expect(verifyChain([first, stranger])).toMatchObject({
      ok: false,
      seq: 2,
      why: expect.stringContaining("another stream"),
    });
  });

  test("an event that was linked to another one than the last does not fit, though its own hash is right", () => {
    const [first, second, third] = sample(3) as [Event, Event, Event];
    const skipping = linkEvent(draftEvent({ ...second, salt: "x" }), { seq: 2, prev: GENESIS });
    expect(verifyChain([first, skipping])).toMatchObject({ ok: false, seq: 2, why: expect.stringContaining("follow") });
    expect(verifyChain([first, skipping, third])).toMatchObject({ ok: false, seq: 2 });
  });

  test("a commitment gives the body away to nobody without its salt", () => {
    const body = { decision: "declined" };
    expect(commitBody({ salt: "a", body })).toBe(commitBody({ salt: "a", body: { ...body } }));
    expect(commitBody({ salt: "a", body })).not.toBe(commitBody({ salt: "b", body }));
    expect(commitBody({ salt: "a", body })).not.toBe(commitBody({ salt: "a", body: {} }));
  });
});
