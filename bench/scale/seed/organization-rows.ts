import { organizationCount, USERS_PER_ORGANIZATION } from '../names.ts'
import { ageIn, DAY, HOUR, type Insert, id, insert, padded, text, type Values } from './insert.ts'

/** Organizations with their members, invitations and API keys, and the statistics. */
export function listOrganizationRows({ users, now, names }: Values): Insert[] {
  const age = ageIn(now)
  const organizations = organizationCount(users)
  const organization = `(n + ${USERS_PER_ORGANIZATION - 1}) / ${USERS_PER_ORGANIZATION}`
  const invitations = organizations * 20
  return [
    insert('organizations', organizations, `join names on names.k = n * 7919 % ${names}`, {
      id: id('org'),
      name: `names.name || ' Works'`,
      slug: `'organization-' || n`,
      metadata: `'{"client-code":"C-' || n || '"}'`,
      createdAt: age(1_000, organizations),
      requireTwoFactor: '0',
    }),
    insert('members', users, '', {
      id: id('mem'),
      userId: id('usr'),
      organizationId: id('org', organization),
      role: `case n % ${USERS_PER_ORGANIZATION} when 1 then 'owner' when 2 then 'admin' else 'member' end`,
      createdAt: age(1_000, users),
      lastUsedAt: String(now),
    }),
    insert('invitations', invitations, '', {
      id: id('inv'),
      organizationId: id('org', `(n + 19) / 20`),
      email: `'invited-' || n || '@people.invalid'`,
      role: `'member'`,
      inviterId: id('usr', `(n - 1) / 20 * ${USERS_PER_ORGANIZATION} + 1`),
      status: `case n % 4 when 0 then 'pending' when 1 then 'canceled' else 'accepted' end`,
      secretHash: `token_hash('invite' || ${padded(37)})`,
      createdAt: age(500, invitations),
      expiresAt: `case n % 8 when 0 then ${now} + ${7 * DAY} else ${age(490, invitations)} end`,
    }),
    insert('invitationEvents', invitations, 'where n % 4 > 1', {
      invitationId: id('inv'),
      event: `'accepted'`,
      createdAt: age(499, invitations),
    }),
    insert('apiKeys', organizations * 5, '', {
      id: id('apk'),
      organizationId: id('org', '(n + 4) / 5'),
      name: `'Key ' || n`,
      role: `'member'`,
      keyHash: `token_hash('key' || n)`,
      enabled: '1',
      lastUsedAt: String(now),
      createdBy: id('usr', `(n - 1) / 5 * ${USERS_PER_ORGANIZATION} + 1`),
      createdAt: age(500, organizations * 5),
      updatedAt: age(500, organizations * 5),
    }),
    // A year of counters by the hour, as many for every population.
    ...['sign-in', 'email-sent', 'token'].map((name) =>
      insert('statistics', 365 * 24, '', {
        name: text(name),
        hour: `${now - (now % HOUR)} - n * ${HOUR}`,
        detail: `'${name === 'sign-in' ? 'password' : ''}'`,
        count: 'n % 100 + 1',
      }),
    ),
    // Tokens of each organization on each of 31 days.
    insert('statistics', organizations * 31, '', {
      name: `'token-organization'`,
      hour: `${now - (now % DAY)} - n % 31 * ${DAY}`,
      detail: id('org', `(n + 30) / 31`),
      count: 'n % 1000 + 1',
    }),
  ]
}
