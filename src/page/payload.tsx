/** The payload as pretty-printed JSON, drawn by us: coloured and foldable up to a size, plain escaped text above. */
import { copy } from "./copy.tsx";
import { type Node, parseText, prettyText, spell } from "./json_lines.tsx";
import { countHidden, Pieces } from "./text.tsx";

/** Above this a page of elements is slow on a phone; text never is. */
export const COLOURED_VALUES = 2_000;

interface PayloadProps {
  /** JSON text as stored. */
  readonly text: string;
  readonly label: string;
  /** What stands below the last line, so that it is known to be the last. */
  readonly end: string;
}

export function Payload({ text, label, end }: PayloadProps) {
  const { root, values } = parseText(text);
  const pretty = prettyText(root);
  const hidden = countHidden(pretty);
  return (
    <section class="payload" aria-label={label}>
      <p class="facts">
        <span>{copy.payload.size(values, Buffer.byteLength(text))}</span>
      </p>
      {hidden > 0 && <p class="warning">{copy.payload.hidden(hidden)}</p>}
      {values <= COLOURED_VALUES ? (
        <div class="json" dir="ltr">
          <Lines node={root} lead="" indent="" tail="" />
        </div>
      ) : (
        <pre class="json plain" dir="ltr">
          <Pieces text={pretty} />
        </pre>
      )}
      <p class="facts">{end}</p>
    </section>
  );
}

interface LineProps {
  readonly node: Node;
  /** The key in front, if any. */
  readonly lead: string;
  readonly indent: string;
  /** A comma, unless it is the last. */
  readonly tail: string;
}

/** Each line carries its own line break, so that copied text is the pretty-printed JSON. */
function Lines({ node, lead, indent, tail }: LineProps) {
  if (!("entries" in node)) {
    return (
      <div class="line">
        {indent}
        <Key name={lead} />
        <ScalarText node={node} />
        {tail}
        {"\n"}
      </div>
    );
  }
  const [open, close] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (node.entries.length === 0) {
    return (
      <div class="line">
        {indent}
        <Key name={lead} />
        {open + close + tail}
        {"\n"}
      </div>
    );
  }
  const inner = node.entries.map((entry, index) => (
    <Lines
      node={entry.value}
      lead={entry.key === undefined ? "" : `${JSON.stringify(entry.key)}: `}
      indent={`${indent}  `}
      tail={index < node.entries.length - 1 ? "," : ""}
    />
  ));
  const last = (
    <div class="line">
      {indent + close + tail}
      {"\n"}
    </div>
  );
  if (indent === "") {
    return (
      <>
        <div class="line">
          {open}
          {"\n"}
        </div>
        {inner}
        {last}
      </>
    );
  }
  return (
    <details class="fold" open>
      <summary class="line" data-count={copy.payload.entries(node.entries.length)}>
        {indent}
        <Key name={lead} />
        {open}
        {"\n"}
      </summary>
      {inner}
      {last}
    </details>
  );
}

function Key({ name }: { name: string }) {
  if (name === "") return <></>;
  return (
    <span class="key">
      <Isolated text={name} />
    </span>
  );
}

function ScalarText({ node }: { node: Extract<Node, { source: string }> }) {
  return (
    <span class={node.kind}>
      <Isolated text={spell(node)} />
    </span>
  );
}

/** Only text that can change direction needs its own isolation; the rest stays light. */
function Isolated({ text }: { text: string }) {
  return /[^\u0020-\u02ff]/.test(text) ? (
    <bdi>
      <Pieces text={text} />
    </bdi>
  ) : (
    <Pieces text={text} />
  );
}
