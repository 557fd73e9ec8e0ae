import type { Kysely } from 'kysely'
import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../core/in-transaction.ts'
import type { Randomness } from '../../platform/crypto/tokens.ts'
import { lockForTransaction } from '../../platform/database/advisory-lock.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { chooseOrganizations } from './choose-organizations.ts'
import { chooseUsers } from './choose-users.ts'
import { lockMemberUsersForShare } from './lock-member-users.ts'
import type { Source } from './open-source.ts'
import { type PlannedOrganization, planOrganization } from './plan-organization.ts'
import { assertSecretsDecrypt, type ConvertSecret, createSecretConverter } from './plan-second-step.ts'
import { type PlannedUser, planUser } from './plan-user.ts'
import { Progress } from './progress.ts'
import { type Finding, type ImportReport, toFinding } from './report.ts'
import { saveOrganizations } from './save-organizations.ts'
import { saveUsers } from './save-users.ts'
import type { SourceOrganization } from './source-rows.ts'
import { NO_ORGANIZATIONS, NO_USERS, readOrganizationFacts, readUserFacts } from './target-facts.ts'

type OnProgress = (what: 'Users' | 'Organizations', done: number, total: number) => void

/** Receives the batches of the source. An import saves them, and a dry run only compares them with the target. */
interface Target {
  sourceSecrets: string[]
  convertSecret: ConvertSecret
  takeUsers(progress: Progress, planned: PlannedUser[]): Promise<unknown>
  takeOrganizations(progress: Progress, organizations: SourceOrganization[], plan: PlanOrganizations): Promise<unknown>
}

/** @param userIds of the users who can become members */
type PlanOrganizations = (userIds: Set<string>) => PlannedOrganization[]

/** Each batch is one transaction. A second run completes a stopped run: it skips imported users and organizations. */
export function importFromBetterAuth(
  context: Context,
  source: Source,
  onProgress: OnProgress,
  sourceSecrets: string[],
): Promise<ImportReport> {
  return readSource(context, source, onProgress, {
    sourceSecrets,
    convertSecret: createSecretConverter(sourceSecrets, (text) => context.keyring.encrypt('second step', text)),
    takeUsers: (progress, planned) =>
      inImport(context, async (unit) =>
        saveUsers(unit, chooseUsers(progress, await readUserFacts(unit.transaction, planned), planned)),
      ),
    takeOrganizations: (progress, organizations, plan) =>
      inImport(context, async (unit) => {
        const planned = plan(await lockMemberUsersForShare(unit.transaction, progress, organizations))
        await saveOrganizations(
          unit,
          chooseOrganizations(progress, await readOrganizationFacts(unit.transaction, planned), planned),
        )
      }),
  })
}

function inImport(context: Context, save: (unit: UnitOfWork) => Promise<void>): Promise<void> {
  return inTransaction(context, OPERATOR, async (unit) => {
    // No constraint refuses a user and an API key with the same id, so each import must see the rows of the others. New
    // ids of the service can't be equal, because they begin with their kind.
    await lockForTransaction(unit.transaction, 'import')
    await save(unit)
  })
}

/** A dry run. @param database undefined for a target without tables */
export function tryImport(
  randomness: Randomness,
  database: Kysely<Tables> | undefined,
  source: Source,
  onProgress: OnProgress,
  sourceSecrets: string[],
): Promise<ImportReport> {
  return readSource(randomness, source, onProgress, {
    sourceSecrets,
    convertSecret: createSecretConverter(sourceSecrets, () => ''),
    takeUsers: async (progress, planned) =>
      chooseUsers(progress, database ? await readUserFacts(database, planned) : NO_USERS, planned),
    async takeOrganizations(progress, _organizations, plan) {
      const planned = plan(progress.userIds)
      const facts = database ? await readOrganizationFacts(database, planned) : NO_ORGANIZATIONS
      chooseOrganizations(progress, facts, planned)
    },
  })
}

async function readSource(
  randomness: Randomness,
  source: Source,
  onProgress: OnProgress,
  target: Target,
): Promise<ImportReport> {
  await assertSecretsDecrypt(target.sourceSecrets, source.readTwoFactors())
  const progress = new Progress()
  const { findings } = progress.report
  for (const { table, count, reason } of await source.countOtherRows())
    findings.push(toFinding('table', `${table} (rows: ${count})`, reason))

  const userCount = await source.countUsers()
  let done = 0
  for await (const users of source.readUsers()) {
    for (const { id } of users) progress.sourceUserIds.add(id)
    await target.takeUsers(
      progress,
      selectPlans(
        findings,
        users.map((user) => planUser(randomness, user, target.convertSecret)),
      ),
    )
    done += users.length
    onProgress('Users', done, userCount)
  }

  const organizationCount = await source.countOrganizations()
  done = 0
  for await (const organizations of source.readOrganizations()) {
    await target.takeOrganizations(progress, organizations, (userIds) =>
      selectPlans(
        findings,
        organizations.map((one) =>
          planOrganization(randomness, one, { sourceUserIds: progress.sourceUserIds, userIds }),
        ),
      ),
    )
    done += organizations.length
    onProgress('Organizations', done, organizationCount)
  }
  for await (const apiKeys of source.readOtherApiKeys())
    for (const { id } of apiKeys)
      findings.push(toFinding('API key', id, 'it belongs to a user: Accounts has API keys of organizations'))
  return progress.report
}

/** Adds the findings to the report. @returns the plans */
function selectPlans<Plan extends object>(findings: Finding[], plans: (Plan | Finding)[]): Plan[] {
  const isFinding = (plan: Plan | Finding): plan is Finding => 'problem' in plan
  findings.push(...plans.filter(isFinding))
  return plans.filter((plan): plan is Plan => !isFinding(plan))
}
