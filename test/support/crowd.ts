import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import type { Client } from './client.ts'
import { type Actor, act, addSession, createOrganization, inviteAndSignUp } from './kill-actions.ts'
import { Account } from './kill-expectations.ts'
import type { createRandom } from './random.ts'
import { verifyAccount, verifyDatabase } from './verify-accounts.ts'

/** Users who change their data at random, and what the service acknowledged to them. */
export class Crowd {
  accounts: Account[] = []
  acknowledged = 0
  private random: ReturnType<typeof createRandom>
  private client: () => Client
  private lastNumber = 0

  /** @param client returns a new client of the service on each call */
  constructor(random: ReturnType<typeof createRandom>, client: () => Client) {
    this.random = random
    this.client = client
  }

  /** Creates the first users: an administrator, and users whom the administrator invites. */
  async setUp(setupToken: string, users: number): Promise<void> {
    const admin = new Account('ada@example.com', 'Ada Admin', 'a fine first password')
    const { email, name, passwords } = admin
    const setup = { name, email, password: passwords.certain, token: setupToken }
    const answer = await this.client().post('/api/setup', setup)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    admin.exists.acknowledge(true)
    addSession(admin, answer)
    this.accounts.push(admin)
    const actor = this.actorOf(admin)
    const [token = ''] = admin.liveTokens
    await createOrganization(actor, token)
    for (let count = 1; count < users; count += 1) await inviteAndSignUp(actor, token)
  }

  choose(count: number): Account[] {
    return this.random.shuffle(this.accounts.filter(({ exists }) => exists.certain)).slice(0, count)
  }

  /** Acts as the user until a request fails because the service or its database is down, or until `isOver`. */
  act(account: Account, isOver = () => false): Promise<void> {
    return act(this.actorOf(account, isOver))
  }

  /**
   * Asserts that the database is consistent and every acknowledged change is stored.
   * @param environment of the service
   * @param acted users with unanswered requests
   */
  async verify(environment: Record<string, string>, acted: Account[]): Promise<void> {
    const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
    const { context, close } = openContext(readConfig(environment), runtime)
    const inDoubt = this.accounts.filter(({ exists }) => exists.certain === undefined)
    try {
      await verifyDatabase(context)
      for (const account of new Set([...acted, ...inDoubt])) await verifyAccount(context, this.client(), account)
    } finally {
      await close()
    }
  }

  private actorOf(account: Account, isOver = () => false): Actor {
    return {
      client: this.client,
      account,
      isOver,
      accounts: this.accounts,
      random: this.random,
      unique: () => {
        this.lastNumber += 1
        return inLetters(this.lastNumber)
      },
      onAcknowledged: () => {
        this.acknowledged += 1
      },
    }
  }
}

/** Writes a number in letters, because a name must not contain a telephone number. */
function inLetters(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
}
