import { organizationCount, SERVICE_CLIENTS, SESSIONS_PER_USER, USERS_PER_ORGANIZATION } from '../names.ts'
import { ageIn, DAY, type Insert, id, insert, padded, text, type Values } from './insert.ts'

const CLIENT_METADATA = JSON.stringify({
  redirect_uris: ['https://app.example.com/callback'],
  post_logout_redirect_uris: [],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid profile email offline_access',
  token_endpoint_auth_method: 'client_secret_basic',
  id_token_signed_response_alg: 'RS256',
  application_type: 'web',
  backchannel_logout_session_required: false,
  dpop_bound_access_tokens: false,
})

/** Apps, and what users have given them. */
export function listOpenIdRows({ users, now }: Values): Insert[] {
  const age = ageIn(now)
  const organization = `(n + ${USERS_PER_ORGANIZATION - 1}) / ${USERS_PER_ORGANIZATION}`
  const session = `n * ${SESSIONS_PER_USER}`
  const clients = SERVICE_CLIENTS + Math.ceil(organizationCount(users) / 10)
  return [
    insert('oauthClients', clients, '', {
      id: id('cli'),
      organizationId: `case when n > ${SERVICE_CLIENTS} then ${id('org', `(n - ${SERVICE_CLIENTS}) * 10 - 9`)} end`,
      secretHash: `token_hash('client' || n)`,
      name: `'App ' || n`,
      metadata: text(CLIENT_METADATA),
      skipConsent: '0',
      disabled: '0',
      createdAt: age(300, clients),
      updatedAt: age(300, clients),
    }),
    insert('oauthConsents', users, 'where n % 5 = 0', {
      id: id('con'),
      userId: id('usr'),
      clientId: id('cli', `n / 5 % ${SERVICE_CLIENTS} + 1`),
      scopes: `'openid email'`,
      createdAt: age(200, users),
      updatedAt: age(200, users),
    }),
    insert('clientSessions', users, 'where n % 5 = 0', {
      sid: `'sid' || ${padded(40)}`,
      sessionId: id('ses', session),
      clientId: id('cli', `n / 5 % ${SERVICE_CLIENTS} + 1`),
      userId: id('usr'),
      createdAt: String(now),
      lastUsedAt: String(now),
    }),
    insert('oauthGrants', users, 'where n % 5 = 0', {
      id: id('gra'),
      sid: `'sid' || ${padded(40)}`,
      clientId: id('cli', `n / 5 % ${SERVICE_CLIENTS} + 1`),
      userId: id('usr'),
      organizationId: id('org', organization),
      scopes: `'openid email'`,
      resources: `'[]'`,
      createdAt: String(now),
      expiresAt: `${now} + ${30 * DAY}`,
    }),
    insert('oauthArtifacts', users, 'where n % 5 = 0', {
      idHash: `token_hash('artifact' || n)`,
      kind: `'RefreshToken'`,
      grantId: id('gra'),
      clientId: id('cli', `n / 5 % ${SERVICE_CLIENTS} + 1`),
      payload: `'{"accountId":"' || ${id('usr')} || '","scope":"openid email","kind":"RefreshToken"}'`,
      createdAt: String(now),
      expiresAt: `${now} + ${30 * DAY}`,
    }),
    insert('oauthLogouts', users, 'where n % 100 = 0', {
      id: `'out' || n`,
      sid: `'gone' || n`,
      clientId: id('cli', `n / 100 % ${SERVICE_CLIENTS} + 1`),
      userId: id('usr'),
      attempts: '1',
      nextAttemptAt: '0',
      leasedUntil: '0',
      settledAt: age(6, users),
    }),
  ]
}
