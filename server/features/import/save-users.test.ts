import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { OPERATOR } from '../../core/audit/actor.ts'
import { listPasskeysOfUser } from '../../core/credentials/passkey-store.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { planUser } from './plan-user.ts'
import { saveUsers } from './save-users.ts'

/** Their columns are more than the 65,535 parameters of a statement. */
const PASSKEY_COUNT = 5_100

onEachDatabase('save users', (service) => {
  test('A user with more passkeys than one statement can insert is imported', async () => {
    const { context } = service()
    const source = { id: 'usr_many', name: 'Ada Lovelace', email: 'ada@example.com', emailVerified: true }
    const rows = { accounts: [], passkeys: [], twoFactors: [] }
    const planned = planUser(context, { ...source, createdAt: 1, updatedAt: 1, ...rows }, () => undefined)
    assert.ok('user' in planned)
    const passkeys = Array.from({ length: PASSKEY_COUNT }, (_, index) => ({
      id: `psk_${index}`,
      userId: planned.user.id,
      name: 'Passkey',
      credentialID: String(index),
      publicKey: '',
      counter: 0,
      deviceType: 'singleDevice' as const,
      backedUp: 0,
      transports: '',
      aaguid: '',
      createdAt: 1,
      lastUsedAt: null,
      isImported: 1,
    }))
    await inTransaction(context, OPERATOR, (unit) => saveUsers(unit, [{ ...planned, passkeys }]))
    assert.equal((await listPasskeysOfUser(context.database, planned.user.id)).length, PASSKEY_COUNT)
  })
})
