import type { Generated } from 'kysely'

/** Times are epoch milliseconds, flags are 0 or 1, JSON is text. Columns have the names of the fields in the API. */
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
  statistics: StatisticRow
  knownDevices: KnownDeviceRow
  secondSteps: SecondStepRow
  recoveryCodes: RecoveryCodeRow
  secondStepFailures: SecondStepFailuresRow
  trustedDevices: TrustedDeviceRow
  oauthClients: OAuthClientRow
  oauthConsents: OAuthConsentRow
  clientSessions: ClientSessionRow
  oauthGrants: OAuthGrantRow
  oauthArtifacts: OAuthArtifactRow
  oauthLogouts: OAuthLogoutRow
  copyState: CopyStateRow
  unconfirmedCredentials: UnconfirmedCredentialRow
}

export type ServiceRole = 'user' | 'support' | 'admin'

export interface UserRow {
  id: string
  name: string
  /** Trimmed, lower-case ASCII, so that an email address has one user. */
  email: string
  emailVerified: number
  image: string | null
  role: ServiceRole
  banned: number
  banReason: string | null
  banExpires: number | null
  createdAt: number
  updatedAt: number
  /** A JSON object that staff set. */
  properties: string
  /** 1 when a second step is verified, so that a session check needs no other table. */
  twoFactorEnabled: number
}

/** A linked sign-in method. The only provider is `credential`, a password. */
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
  counter: number
  deviceType: 'singleDevice' | 'multiDevice'
  backedUp: number
  /** Such as `internal,hybrid`. */
  transports: string
  aaguid: string
  createdAt: number
  lastUsedAt: number | null
  /** 1 for a passkey from Better Auth, whose user handle is random and not stored. */
  isImported: number
}

/** The methods of a sign-in as the `amr` of tokens (RFC 8176), separated by spaces. */
export type AuthenticationMethods = 'pwd' | 'pwd otp mfa' | 'pwd mfa' | 'hwk user mfa'

export interface SessionRow {
  id: string
  userId: string
  tokenHash: string
  createdAt: number
  updatedAt: number
  expiresAt: number
  /** Updated at most once an hour. */
  lastUsedAt: number | null
  /** The last sign-in or step-up. */
  authenticatedAt: number
  authenticationMethods: AuthenticationMethods
  rememberMe: number
  ipAddress: string | null
  userAgent: string | null
  activeOrganizationId: string | null
  impersonatedBy: string | null
  /** A JSON object that update-session sets. */
  properties: string
}

/** Null in sessions that do not impersonate. */
interface ImpersonationColumns {
  /** If the session of the impersonator is revoked, this one is revoked too. */
  impersonatorSessionId: string | null
  /** The token of the impersonator, encrypted under the token of this session, which is not stored. */
  encryptedImpersonatorToken: string | null
}

export interface OrganizationRow {
  id: string
  name: string
  slug: string
  logo: string | null
  metadata: string | null
  createdAt: number
  /** 1 when tokens for the organization need two-step verification. */
  requireTwoFactor: number
}

export type OrganizationRole = 'owner' | 'admin' | 'member'

export interface MemberRow {
  id: string
  userId: string
  organizationId: string
  role: OrganizationRole
  createdAt: number
  /** The last use of the organization by the user. Updated at most once an hour. */
  lastUsedAt: number | null
}

export type InvitationStatus = 'pending' | 'accepted' | 'rejected' | 'canceled'

export interface InvitationRow {
  id: string
  organizationId: string
  email: string
  role: OrganizationRole
  inviterId: string
  /** An expired invitation is still `pending`, see `expiresAt`. */
  status: InvitationStatus
  /** SHA-256 of the secret in the link of the email. */
  secretHash: string
  createdAt: number
  expiresAt: number
}

export type InvitationEvent = 'opened' | 'signed up' | 'accepted' | 'rejected' | 'canceled'

export interface InvitationEventRow {
  invitationId: string
  /** Each at most once. The outbox has the events of the email. */
  event: InvitationEvent
  createdAt: number
}

export type ApiKeyRole = Exclude<OrganizationRole, 'owner'>

export interface ApiKeyRow {
  id: string
  organizationId: string
  name: string
  role: ApiKeyRole
  /** SHA-256 of the whole key. */
  keyHash: string
  enabled: number
  expiresAt: number | null
  /** Milliseconds from the setting of `expiresAt` to it, for a rotation. Null in older API keys. */
  lifetime: number | null
  lastUsedAt: number | null
  rotatedAt: number | null
  /** No foreign key, because the key outlives its creator. */
  createdBy: string
  createdAt: number
  updatedAt: number
  metadata: string | null
  /** The first characters of an API key from Better Auth; null for others, whose id has them. */
  start: string | null
  /** From Better Auth. */
  prefix: string | null
}

/** Most tokens are in links of emails. The last four are challenges. */
export type TokenPurpose =
  | 'set up'
  | 'reset password'
  | 'verify email'
  | 'change email'
  | 'undo email change'
  | 'delete user'
  | 'register passkey'
  | 'sign up with passkey'
  | 'sign in with passkey'
  | 'second step'

export interface SingleUseTokenRow {
  id: string
  tokenHash: string
  purpose: TokenPurpose
  userId: string | null
  /** The token is deleted with the session that requested it. */
  sessionId: string | null
  data: string
  createdAt: number
  expiresAt: number
}

/** A SECRET that the database uses or used. The newest generation encrypts. */
export interface SecretGenerationRow {
  /** Counts from 1. Unique, so that two processes with different secrets can't both register the first. */
  generation: number
  secretId: string
  /** Null while data depends on this SECRET. Later its keys for the audit log, encrypted under the newest SECRET. */
  retiredKeys: string | null
  createdAt: number
}

export interface SigningKeyRow {
  /** The `kid` of its tokens. */
  id: string
  /** Counts from 1. Unique, so that two concurrent processes can't both create the next key. */
  generation: number
  publicJwk: string
  encryptedPrivateJwk: string
  /** The ES256 key of the same generation; null in a key from before migration 0019. */
  publicEcJwk: string | null
  encryptedPrivateEcJwk: string | null
  createdAt: number
  /** The key signs from this time until a later key is active. */
  activeAt: number
  /** The key is published until this time; null without a successor. */
  retiresAt: number | null
  /** A withdrawn key is not published and does not sign, even if the clock is set back. */
  withdrawnAt: number | null
}

export interface OutboxRow {
  id: string
  kind: string
  recipient: string
  /** The subject of the email, such as an invitation. */
  subjectId: string | null
  /** Encrypted, because it contains links with tokens. Null if the email can't be sent any more. */
  encryptedEmail: string | null
  createdAt: number
  /** Failed attempts, except while the mail server accepts no email, without the SECRET, or for a damaged email. */
  attempts: number
  lastAttemptAt: number | null
  nextAttemptAt: number
  /** The end of the lease of the process that sends the email. */
  leasedUntil: number | null
  sentAt: number | null
  /** When the email was given up, also without an attempt. */
  failedAt: number | null
  /** The last response of the mail server, also a positive one, or the reason why there is none. */
  lastError: string | null
  /** Lower numbers are sent first. */
  priority: number
  organizationId: string | null
}

/** A lock for concurrent requests for the same kind of email to the same recipient. */
export interface EmailLimitRow {
  /** A form accepts any email address, so this is a hash of kind, recipient and, for notices of ownership, subject. */
  key: string
  usedAt: number
}

export interface AuditEventRow {
  id: string
  createdAt: number
  action: string
  /** The user; null for the command line and for requests without a session. */
  actorId: string | null
  impersonatedBy: string | null
  subjectId: string | null
  organizationId: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
  details: string
  /** HMAC of the event under SECRET. */
  mac: string
  /** The position in the chain; null until the event is linked. */
  sequence: number | null
  /** Hash of the event and the previous hash. */
  hash: string | null
  /** The end of the window in which the event counts its repetitions; null for an event without repetitions. */
  openUntil: number | null
}

/** The chain head (auditHead) and the last purged event (auditStart), one row each. */
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
  /** Guesses that are being checked. They expire at `reservedUntil`. */
  reserved: number
  reservedUntil: number
  expiresAt: number
}

/** A counter of one hour. It has no foreign keys, because the statistics outlive users and organizations. */
export interface StatisticRow {
  name: string
  /** The start of the hour. */
  hour: number
  /** A part that is counted apart, such as the reason of a failure or the id of an organization; '' without one. */
  detail: string
  count: number
}

/** A browser or network with a separate limit of password guesses for a user. */
export interface KnownDeviceRow {
  userId: string
  /** The hash of a device cookie; or `network` and the network that completed a password reset. */
  device: string
  /** 0 also for a browser that deletes its cookie when it is closed: it must not displace one with a lasting cookie. */
  isBrowser: number
  /** 0 after all sessions of the user were revoked: the next sign-in on the device sends an email. */
  createdAt: number
  expiresAt: number
}

/** An authenticator app, or codes by email; named as on the wire. */
export type SecondStepMethod = 'totp' | 'otp'

export interface SecondStepRow {
  userId: string
  method: SecondStepMethod
  /** Null for codes by email. */
  encryptedSecret: string | null
  createdAt: number
  /** Null until the first code is verified. */
  verifiedAt: number | null
  /** The time step of the last accepted code (RFC 6238, section 5.2): a code works once. */
  usedStep: number | null
  /** HMAC of the last mailed code under SECRET, because a million codes can be tried; null without a usable one. */
  codeMac: string | null
  codeExpiresAt: number | null
  /** Wrong codes since the last mailed one. */
  codeFailures: number
  /** The session that began the setup; null after an import, and in rows of earlier versions. */
  sessionId: string | null
}

/** Deleted when it is used. */
export interface RecoveryCodeRow {
  codeHash: string
  userId: string
  /** The second step that the code replaces: a new setup has codes of its own. */
  method: SecondStepMethod
}

/** The wrong codes of a user, with which the second step is locked. */
export interface SecondStepFailuresRow {
  userId: string
  count: number
  /** The end of the window, or of the lock. */
  expiresAt: number
}

/** A browser or client that is not asked for the second step of a user. */
export interface TrustedDeviceRow {
  id: string
  userId: string
  tokenHash: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
  ipAddress: string | null
  userAgent: string | null
}

/** A service that signs its users in with OpenID Connect, or a machine. */
export interface OAuthClientRow {
  /** The `client_id`. */
  id: string
  /** The organization that owns it; null for a client of the service. */
  organizationId: string | null
  /** Null for a public client, and for a client with keys. */
  secretHash: string | null
  name: string
  /** JSON of RFC 7591 metadata, such as `redirect_uris`, without the secret. */
  metadata: string
  /** A separate column, because the trigger that enqueues log-outs reads it. */
  backchannelLogoutUri: string | null
  skipConsent: number
  disabled: number
  createdBy: string | null
  createdAt: number
  updatedAt: number
}

export interface OAuthConsentRow {
  id: string
  userId: string
  clientId: string
  scopes: string
  /** The organizations for which the scope `organization` is allowed, separated by spaces. */
  organizationIds: string
  createdAt: number
  updatedAt: number
}

/** A session at a client. Its deletion enqueues a back-channel log-out, by a trigger. */
export interface ClientSessionRow {
  /** The `sid` of ID tokens and logout tokens. */
  sid: string
  sessionId: string
  /** The session in which it began, which may have ended since. Null in a row of an earlier release. */
  firstSessionId: string | null
  clientId: string
  userId: string
  createdAt: number
  lastUsedAt: number
}

/** The access that one authorization gave to a client. Its code and tokens are deleted with it. */
export interface OAuthGrantRow {
  id: string
  sid: string
  clientId: string
  userId: string
  organizationId: string | null
  scopes: string
  /** A JSON array of resource indicators (RFC 8707). */
  resources: string
  createdAt: number
  expiresAt: number
  /** How the session was signed in when it gave the grant. Null for a grant of an earlier version. */
  authenticationMethods: AuthenticationMethods | null
  /** When that session was signed in. Null for a grant of an earlier version. */
  signedInAt: number | null
}

/** The models of the library that are stored, and access tokens that are revoked before their expiry. */
export type ArtifactKind =
  | 'AuthorizationCode'
  | 'DeviceCode'
  | 'Interaction'
  | 'PushedAuthorizationRequest'
  | 'RefreshToken'
  | 'ReplayDetection'
  | 'RevokedToken'
  | 'Session'

/** A code, a refresh token, a device code or another object of the protocol, under the hash of its value. */
export interface OAuthArtifactRow {
  idHash: string
  kind: ArtifactKind
  grantId: string | null
  clientId: string | null
  predecessorHash: string | null
  userCodeHash: string | null
  /** JSON without the value. */
  payload: string
  createdAt: number
  expiresAt: number
  /** 0 for a refresh token that a repeated request displaced. */
  consumedAt: number | null
  /** The last poll with a device code, or the last retry with a refresh token. */
  polledAt: number | null
  /** When the request that consumed it was answered. */
  answeredAt: number | null
}

/** A back-channel log-out that a client must get. */
export interface OAuthLogoutRow {
  id: string
  sid: string
  clientId: string
  userId: string
  attempts: Generated<number>
  firstAttemptAt: number | null
  nextAttemptAt: Generated<number>
  leasedUntil: Generated<number>
  lastError: string | null
  /** When it was delivered or given up. */
  settledAt: number | null
}

/** The one row of a database that is a backup, or into which a copy has begun. The service does not start on it. */
export interface CopyStateRow {
  id: number
  /** A partial backup becomes a backup when all of its rows are verified. */
  kind: 'move' | 'restore' | 'partial backup' | 'backup'
  /** The source without its password, so that only the same copy continues. */
  source: string
  /** The step that is being copied; null before the first one. */
  step: string | null
  /** JSON: the key of the last copied row of the step. */
  lastKey: string | null
}

/** An API key or OAuth client that a restore has disabled, because it may have been revoked after the backup. */
interface UnconfirmedCredentialRow {
  id: string
  /** Equal to its `updatedAt`. A later change of the row confirms it. */
  disabledAt: number
}
