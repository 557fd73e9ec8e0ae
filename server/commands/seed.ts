import { buildApp } from '../app.ts'
import { hasRealUser } from '../core/users/seed-users.ts'
import { createAdmin } from '../features/account/setup/create-admin.ts'
import { createSigningKeys } from '../features/tokens/signing-keys.ts'
import type { Config } from '../platform/config/config.ts'
import { isLocal } from '../platform/config/loopback.ts'
import type { Runtime } from '../platform/context.ts'
import { DAY_MILLISECONDS } from '../platform/time/time-units.ts'
import { type Command, CommandError } from './command.ts'
import { createExampleClient } from './example-client.ts'
import {
  createInvitationsAndApiKey,
  createUsersAndOrganizations,
  EXAMPLE_ADMINISTRATOR,
  EXAMPLE_PASSWORD,
  EXAMPLE_USERS,
} from './example-data.ts'
import { openMigrated } from './prepare.ts'

const TEN_DAYS_MILLISECONDS = 10 * DAY_MILLISECONDS

/** A refusal would leave a part of the example data, and this command refuses a database with users. */
function allowExampleData(config: Config): Config {
  return {
    ...config,
    passwordMinLength: 8,
    requireTwoFactor: 'none',
    organizationCreation: 'verified',
    organizationsPerUser: 1_000,
    organizationInvitationsPerDay: 1_000,
    limits: { ...config.limits, userChanges: 6_000 },
  }
}

export const seedCommand: Command = {
  summary: 'Create example users, organizations and invitations on localhost',
  help: `Usage: npm run accounts -- seed

Creates an administrator, support, two organizations with members, an API key, and an invitation in every state, and
prints how to sign in. Refuses when BASE_URL is not on localhost, when SMTP_URL is set, and when the database has real
users. To have many users for measurements, run npm run accounts -- users seed before this command.`,
  async run(config, runtime) {
    assertLocal(config)
    const apiKey = await seed(config, runtime)
    console.log(describe(config, apiKey))
  },
}

/** Anyone can read the example password here. @throws CommandError */
function assertLocal({ baseUrl, smtpUrl }: Config): void {
  if (!isLocal(baseUrl)) throw new CommandError(`BASE_URL is ${baseUrl}: example users are created on localhost only.`)
  if (smtpUrl !== undefined) throw new CommandError('SMTP_URL is set: the emails of example users must stay here.')
}

/** Through the routes of the service, so that its checks, emails and audit events apply. @returns the API key */
async function seed(config: Config, runtime: Runtime): Promise<string> {
  let behindMilliseconds = TEN_DAYS_MILLISECONDS
  const now = () => runtime.now() - behindMilliseconds
  // A line about each request would hide what the command prints.
  const log = runtime.log.child({}, { level: 'warn' })
  const opened = await openMigrated(allowExampleData(config), { ...runtime, now, log })
  const { context } = opened
  try {
    if (await hasRealUser(context.database))
      throw new CommandError('The database has users already. Empty it, or set DATABASE_URL to another one.')
    await createSigningKeys(context).ensure()
    await createAdmin(context, { ...EXAMPLE_ADMINISTRATOR, password: EXAMPLE_PASSWORD })
    const app = await buildApp(opened)
    try {
      const client = createExampleClient(app, config.baseUrl, EXAMPLE_PASSWORD)
      await createUsersAndOrganizations(client)
      behindMilliseconds = 0
      client.forgetSessions()
      return await createInvitationsAndApiKey(client)
    } finally {
      await app.close()
    }
  } finally {
    await opened.close()
  }
}

function describe({ baseUrl }: Config, apiKey: string): string {
  const users = EXAMPLE_USERS.map(({ email, exampleOf }) => `  ${email.padEnd(18)}${exampleOf}`)
  return `Created. Every user signs in at ${baseUrl}/sign-in with the password "${EXAMPLE_PASSWORD}":
${users.join('\n')}
API key of Example Works: ${apiKey}
Read the emails at ${baseUrl}/dev/mailbox`
}
