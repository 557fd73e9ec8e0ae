import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithTotp } from '../../../test/support/two-step.ts'
import { reencryptTwoStepSecrets } from './reencrypt-secrets.ts'

onEachDatabase('Renewing the secrets of authenticator apps', (service) => {
  test('A damaged secret is named by the email address of its user, in a command that resets it', async () => {
    const { context } = service()
    const { id, email } = await userWithTotp(service())
    await context.database.updateTable('secondSteps').set({ encryptedSecret: 'x' }).where('userId', '=', id).execute()
    await assert.rejects(reencryptTwoStepSecrets(context), ({ message }: Error) =>
      message.includes(`users reset-two-factor --email ${email} --reason damaged`),
    )
  })
})
