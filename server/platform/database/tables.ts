/**
 * The tables as they are on both engines. Times are epoch milliseconds, flags are 0 or 1, JSON is text. A column is
 * named as the field on the wire is.
 */
export interface Tables {
  users: UserRow
  accounts: AccountRow
  passkeys: PasskeyRow
  sessions: SessionRow & ImpersonationColumns
  organizations: OrganizationRow
  members: MemberRow
  invitations: InvitationRow
  invitationEvents: InvitationEventRow
  apiKeys: ApiKeyRow
  singleUseTokens: SingleUseTokenRow
  secretGenerations: SecretGenerationRow
  signingKeys: SigningKeyRow
  outbox: OutboxRow
  emailLimits: EmailLimitRow
  auditEvents: AuditEventRow
  auditHead: AuditHeadRow
  auditStart: AuditHeadRow
  rateLimits: RateLimitRow
  knownDevices: KnownDeviceRow
}

export interface UserRow {
  id: string
  name: string
  /** Trimmed, lower-cased ASCII: one address, one user. */
  email: string
  emailVerified: number
  image: string | null
  role: string
  banned: number
  banReason: string | null
  banExpires: number | null
  createdAt: number
  updatedAt: number
  /** Custom properties, which staff set: the JSON text of an object. */
  properties: string
}

/** A way to sign in that the user linked; the only provider so far is `credential`, a password. */
export interface AccountRow {
  id: string
  userId: string
  providerId: string
  accountId: string
  passwordHash: string | null
  createdAt: number
  updatedAt: number
}

export interface PasskeyRow {
  id: string
  userId: string
  name: string
  /** Base64url, unique among all users. */
  credentialID: string
  /** The COSE key (RFC 9052) in base64. */
  publicKey: string
  /** As the authenticator last told it; 0 for good where it does not count. */
  counter: number
  /** singleDevice, or multiDevice where it may be copied to other devices. */
  deviceType: string
  backedUp: number
  /** Such as `internal,hybrid`: how the authenticator is reached. */
  transports: string
  aaguid: string
  createdAt: number
}

export interface SessionRow {
  id: string
  userId: string
  tokenHash: string
  createdAt: number
  updatedAt: number
  expiresAt: number
  /** When the holder last proved who they are: at sign-in, or by their password later. */
  authenticatedAt: number
  rememberMe: number
  ipAddress: string | null
  userAgent: string | null
  activeOrganizationId: string | null
  impersonatedBy: string | null
  /** What update-session keeps: the JSON text of an object. */
  properties: string
}

/** Of sessions in which staff act as somebody else; null in every other one. */
interface ImpersonationColumns {
  /** The staff's own session: with it, this one ends. */
  impersonatorSessionId: string | null
  /** The staff's own credential, sealed under this session's, which the database does not have. */
  encryptedImpersonatorToken: string | null
}

export interface OrganizationRow {
  id: string
  name: string
  slug: string
  logo: string | null
  /** The JSON text of an object. */
  metadata: string | null
  createdAt: number
}

export interface MemberRow {
  id: string
  userId: string
  organizationId: string
  role: string
  createdAt: number
}

export interface InvitationRow {
  id: string
  organizationId: string
  email: string
  role: string
  inviterId: string
  /** pending, accepted, rejected or canceled; a pending one whose time is over counts as expired. */
  status: string
  /** SHA-256 of the secret half of the reference in the letter. */
  secretHash: string
  createdAt: number
  expiresAt: number
}

export interface InvitationEventRow {
  invitationId: string
  /** opened, signed up, accepted, rejected or canceled: each at most once. What became of the letter is in the outbox. */
  event: string
  createdAt: number
}

export interface ApiKeyRow {
  id: string
  organizationId: string
  name: string
  role: string
  /** SHA-256 of the whole key. */
  keyHash: string
  enabled: number
  expiresAt: number | null
  lastUsedAt: number | null
  /** No foreign key: the organization's key outlives whoever made it. */
  createdBy: string
  createdAt: number
  updatedAt: number
  /** The JSON text of an object. */
  metadata: string | null
}

export interface SingleUseTokenRow {
  id: string
  tokenHash: string
  purpose: string
  userId: string | null
  /** The session that asked for the token, which is deleted with it; null where no session is needed to ask. */
  sessionId: string | null
  data: string
  createdAt: number
  expiresAt: number
}

/** A SECRET that the database is or was made with; the newest generation is the one that encrypts. */
export interface SecretGenerationRow {
  /** 1 for the first SECRET; unique, so that two processes with different ones can't both be the first. */
  generation: number
  secretId: string
  /** Null while data may depend on that SECRET. Later: its keys for the audit log, encrypted under the newest SECRET. */
  retiredKeys: string | null
  createdAt: number
}

export interface SigningKeyRow {
  /** The `kid` of the tokens that it signs. */
  id: string
  /** 1 for the first key, and one more for each that follows; unique, so that two processes can't both make the next. */
  generation: number
  publicJwk: string
  encryptedPrivateJwk: string
  createdAt: number
  /** It signs from here on, until a later key is active. */
  activeAt: number
  /** From here on it is no longer published; null while it is not being replaced. */
  retiresAt: number | null
  /** Set when it was withdrawn: neither published nor signing from then on, whatever the clock says. */
  withdrawnAt: number | null
}

export interface OutboxRow {
  id: string
  kind: string
  recipient: string
  /** The id of what the letter is about; null where nobody asks what became of it. */
  subjectId: string | null
  /** Subject, text and HTML, sealed: they hold links that open things. Null once delivered. */
  encryptedEmail: string | null
  createdAt: number
  attempts: number
  lastAttemptAt: number | null
  nextAttemptAt: number
  /** Who works on it has until then; null when nobody does. */
  leasedUntil: number | null
  sentAt: number | null
  /** Set when it was given up. */
  failedAt: number | null
  /** What the mail server last said. */
  lastError: string | null
  /** Lower goes first. */
  priority: number
  /** The organization that sends an invitation; null for other kinds. */
  organizationId: string | null
}

/** A lock: concurrent requests for one kind of email to one recipient count one after the other. */
export interface EmailLimitRow {
  /** SHA-256 of the kind and the recipient: strangers may type any email address into a form. */
  key: string
  usedAt: number
}

export interface AuditEventRow {
  id: string
  createdAt: number
  action: string
  /** Who did it; null for the command line and for people who are not signed in. */
  actorId: string | null
  /** The member of staff behind an impersonated session. */
  impersonatedBy: string | null
  subjectId: string | null
  organizationId: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
  details: string
  /** Proves that we wrote the entry, and as it is. */
  mac: string
  /** Its place in the chain, a moment after it was written; null until then. */
  sequence: number | null
  /** Over the entry and the hash of the one before. */
  hash: string | null
  /** End of the window in which repetitions are added to the event's count; null for an event that stands for itself. */
  openUntil: number | null
}

/** Where the chain of the audit log ends (auditHead), and the last event that was purged from it (auditStart): one row each. */
interface AuditHeadRow {
  id: number
  sequence: number
  hash: string
  mac: string
}

/** A counter that several processes share; PostgreSQL only. */
export interface RateLimitRow {
  key: string
  used: number
  /** Guesses under way; they count for nothing after `reservedUntil`. */
  reserved: number
  reservedUntil: number
  expiresAt: number
}

/** A browser or network that has guesses of its own at a user's password. */
export interface KnownDeviceRow {
  userId: string
  /** The hash of a device cookie; or `network` and the network that completed a password reset. */
  device: string
  isBrowser: number
  createdAt: number
  expiresAt: number
}
