/**
 * The shape of the data, as ordered steps. A step that has been released is never edited: a change is a new step.
 *
 * Written once for both databases: SQLite adds STRICT to each table and writes BIGINT as INTEGER. Times are epoch
 * milliseconds (BIGINT is read as a JavaScript number), JSON is TEXT so that numbers, key order and `\u0000` survive, booleans are 0 and 1. Every row carries its workspace.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "first tables",
    statements: [
      `CREATE TABLE workspaces (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        created_at BIGINT NOT NULL
      )`,
      `CREATE TABLE people (
        workspace TEXT NOT NULL REFERENCES workspaces (id),
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        enrolled_at BIGINT NOT NULL,
        enrolled_way TEXT NOT NULL,
        enrolled_by TEXT,
        disabled_at BIGINT,
        PRIMARY KEY (workspace, id)
      )`,
      `CREATE UNIQUE INDEX people_by_name ON people (workspace, name_key)`,
      `CREATE INDEX people_by_enrolment ON people (workspace, enrolled_at, id)`,
      `CREATE TABLE memberships (
        workspace TEXT NOT NULL,
        person TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('reviewer', 'admin', 'auditor')),
        since BIGINT NOT NULL,
        PRIMARY KEY (workspace, person),
        FOREIGN KEY (workspace, person) REFERENCES people (workspace, id)
      )`,
      `CREATE TABLE credentials (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        person TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('passkey', 'password', 'oidc')),
        rp_id TEXT,
        origin TEXT,
        secret TEXT NOT NULL,
        sign_count BIGINT NOT NULL DEFAULT 0,
        name TEXT,
        created_at BIGINT NOT NULL,
        last_used_at BIGINT,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, person) REFERENCES people (workspace, id)
      )`,
      `CREATE INDEX credentials_by_person ON credentials (workspace, person, kind)`,
      `CREATE TABLE sessions (
        workspace TEXT NOT NULL,
        hash TEXT NOT NULL,
        person TEXT NOT NULL,
        csrf TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        used_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        proved_at BIGINT,
        proof TEXT,
        user_agent TEXT,
        PRIMARY KEY (workspace, hash),
        FOREIGN KEY (workspace, person) REFERENCES people (workspace, id)
      )`,
      `CREATE INDEX sessions_by_person ON sessions (workspace, person)`,
      `CREATE INDEX sessions_by_expiry ON sessions (workspace, expires_at)`,
      `CREATE TABLE agents (
        workspace TEXT NOT NULL REFERENCES workspaces (id),
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        owner TEXT,
        created_at BIGINT NOT NULL,
        created_by TEXT NOT NULL,
        revoked_at BIGINT,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, owner) REFERENCES people (workspace, id)
      )`,
      `CREATE UNIQUE INDEX agents_by_name ON agents (workspace, name_key)`,
      `CREATE INDEX agents_by_age ON agents (workspace, created_at, id)`,
      `CREATE TABLE agent_tokens (
        workspace TEXT NOT NULL,
        hash TEXT NOT NULL,
        agent TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        revoked_at BIGINT,
        used_at BIGINT,
        PRIMARY KEY (hash),
        FOREIGN KEY (workspace, agent) REFERENCES agents (workspace, id)
      )`,
      `CREATE INDEX agent_tokens_by_agent ON agent_tokens (workspace, agent, created_at)`,
      `CREATE TABLE mcp_sessions (
        workspace TEXT NOT NULL,
        hash TEXT NOT NULL,
        agent TEXT NOT NULL,
        initialize TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        used_at BIGINT NOT NULL,
        PRIMARY KEY (workspace, hash),
        FOREIGN KEY (workspace, agent) REFERENCES agents (workspace, id)
      )`,
      `CREATE INDEX mcp_sessions_by_use ON mcp_sessions (workspace, used_at)`,
      `CREATE TABLE approvals (
        workspace TEXT NOT NULL REFERENCES workspaces (id),
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        agent TEXT NOT NULL,
        requester TEXT NOT NULL,
        message TEXT NOT NULL,
        context TEXT,
        context_digest TEXT,
        requested_schema TEXT,
        labels TEXT NOT NULL,
        display_template TEXT,
        request_digest TEXT NOT NULL,
        policy TEXT NOT NULL,
        policy_digest TEXT NOT NULL,
        needed INTEGER NOT NULL DEFAULT 1,
        idempotency_key TEXT,
        lifetime_seconds INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('pending', 'submitted', 'declined', 'canceled', 'expired', 'consumed')),
        decision TEXT CHECK (decision IN ('submitted', 'declined')),
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        closed_at BIGINT,
        consumed_at BIGINT,
        cancel_reason TEXT,
        claim_key TEXT,
        revision_of TEXT,
        purge_after BIGINT,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, agent) REFERENCES agents (workspace, id)
      )`,
      `CREATE UNIQUE INDEX approvals_by_key ON approvals (workspace, agent, idempotency_key) WHERE idempotency_key IS NOT NULL`,
      `CREATE INDEX approvals_by_agent ON approvals (workspace, agent, id)`,
      `CREATE INDEX approvals_by_agent_status ON approvals (workspace, agent, status, id)`,
      `CREATE INDEX approvals_pending ON approvals (workspace, id) WHERE status = 'pending'`,
      `CREATE INDEX approvals_due ON approvals (workspace, expires_at) WHERE status = 'pending'`,
      `CREATE TABLE renderings (
        workspace TEXT NOT NULL,
        approval TEXT NOT NULL,
        digest TEXT NOT NULL,
        html TEXT,
        engine TEXT NOT NULL,
        left_out TEXT,
        proven INTEGER NOT NULL,
        error TEXT,
        created_at BIGINT NOT NULL,
        PRIMARY KEY (workspace, approval),
        FOREIGN KEY (workspace, approval) REFERENCES approvals (workspace, id)
      )`,
      `CREATE TABLE intents (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        approval TEXT NOT NULL,
        person TEXT NOT NULL,
        session TEXT NOT NULL,
        decision TEXT NOT NULL CHECK (decision IN ('submitted', 'declined')),
        answer TEXT,
        comment TEXT,
        intent TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        burned_at BIGINT,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, approval) REFERENCES approvals (workspace, id)
      )`,
      `CREATE INDEX intents_by_person ON intents (workspace, person)`,
      `CREATE INDEX intents_by_expiry ON intents (workspace, expires_at)`,
      `CREATE TABLE decisions (
        workspace TEXT NOT NULL,
        approval TEXT NOT NULL,
        person TEXT NOT NULL,
        person_name TEXT NOT NULL,
        decision TEXT NOT NULL CHECK (decision IN ('submitted', 'declined')),
        answer TEXT,
        answer_digest TEXT NOT NULL,
        comment TEXT,
        assurance TEXT NOT NULL CHECK (assurance IN ('session', 'reauthenticated', 'user-verified')),
        intent TEXT NOT NULL,
        evidence TEXT NOT NULL,
        by_owner INTEGER NOT NULL DEFAULT 0,
        at BIGINT NOT NULL,
        PRIMARY KEY (workspace, approval, person),
        FOREIGN KEY (workspace, approval) REFERENCES approvals (workspace, id)
      )`,
      `CREATE TABLE streams (
        workspace TEXT NOT NULL,
        stream TEXT NOT NULL,
        seq BIGINT NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (workspace, stream)
      )`,
      `CREATE TABLE events (
        workspace TEXT NOT NULL,
        stream TEXT NOT NULL,
        seq BIGINT NOT NULL,
        type TEXT NOT NULL,
        at BIGINT NOT NULL,
        actor TEXT NOT NULL,
        commitment TEXT NOT NULL,
        salt TEXT,
        body TEXT,
        prev TEXT NOT NULL,
        hash TEXT NOT NULL,
        sealed BIGINT,
        PRIMARY KEY (workspace, stream, seq)
      )`,
      `CREATE INDEX events_unsealed ON events (workspace, at) WHERE sealed IS NULL`,
      `CREATE TABLE views (
        workspace TEXT NOT NULL,
        approval TEXT NOT NULL,
        person TEXT NOT NULL,
        at BIGINT NOT NULL,
        PRIMARY KEY (workspace, approval, person)
      )`,
      `CREATE TABLE receipts (
        workspace TEXT NOT NULL,
        approval TEXT NOT NULL,
        person TEXT NOT NULL,
        jws TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        PRIMARY KEY (workspace, approval, person)
      )`,
      `CREATE TABLE one_time_codes (
        workspace TEXT NOT NULL,
        hash TEXT NOT NULL,
        purpose TEXT NOT NULL CHECK (purpose IN ('setup', 'invite', 'reset')),
        person TEXT,
        created_at BIGINT NOT NULL,
        created_by TEXT NOT NULL,
        expires_at BIGINT NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        used_at BIGINT,
        PRIMARY KEY (workspace, hash)
      )`,
      `CREATE INDEX one_time_codes_by_purpose ON one_time_codes (workspace, purpose)`,
      `CREATE TABLE challenges (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        purpose TEXT NOT NULL CHECK (purpose IN ('sign_in', 'enrol')),
        person TEXT,
        challenge TEXT NOT NULL,
        body TEXT,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        PRIMARY KEY (workspace, id)
      )`,
      `CREATE INDEX challenges_by_expiry ON challenges (workspace, expires_at)`,
      `CREATE TABLE checkpoints (
        workspace TEXT NOT NULL,
        size BIGINT NOT NULL,
        root TEXT NOT NULL,
        at BIGINT NOT NULL,
        signed TEXT NOT NULL,
        PRIMARY KEY (workspace, size)
      )`,
      `CREATE TABLE outbox (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        approval TEXT NOT NULL,
        type TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        sent_at BIGINT,
        PRIMARY KEY (workspace, id)
      )`,
      `CREATE INDEX outbox_unsent ON outbox (workspace, created_at) WHERE sent_at IS NULL`,
      `CREATE TABLE keys (
        workspace TEXT NOT NULL,
        kid TEXT NOT NULL,
        public_jwk TEXT NOT NULL,
        private_jwk TEXT,
        created_at BIGINT NOT NULL,
        retired_at BIGINT,
        PRIMARY KEY (workspace, kid)
      )`,
      `INSERT INTO workspaces (id, name, created_at) VALUES ('default', 'Default', 0)`,
    ],
  },
];
