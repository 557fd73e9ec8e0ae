import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInTexts } from '../../web/entry/sign-in-texts.ts'

type Known = Parameters<typeof signInTexts>[0]

const EMAIL = 'hilda@example.com'
const NOTHING = {
  typedEmail: undefined,
  user: undefined,
  interaction: undefined,
  destination: null,
  pending: undefined,
}

function textsOf(known: Partial<Known>) {
  return signInTexts({ ...NOTHING, ...known })
}

/** What an app waits for. */
function appOf(name: string, isSelfRegistered: boolean): Partial<Known> {
  return { interaction: { loginHint: null, client: { isSelfRegistered } }, destination: { name } }
}

test('signInTexts names no destination if no app and no service waits, also for a signed-in user', () => {
  const expected = { heading: 'Sign in', lead: undefined, email: EMAIL }
  assert.deepEqual(textsOf({ typedEmail: EMAIL }), expected)
  assert.deepEqual(textsOf({ typedEmail: EMAIL, user: { email: EMAIL } }), expected)
})

test('signInTexts names an app, and asks a signed-in user to sign in again for it', () => {
  const app = appOf('Charts', false)
  assert.deepEqual(textsOf(app), { heading: 'Sign in', lead: 'to go on to Charts', email: '' })
  assert.deepEqual(textsOf({ ...app, user: { email: EMAIL } }), {
    heading: 'Confirm that it’s you',
    lead: 'Sign in again to go on to Charts.',
    email: EMAIL,
  })
})

test('signInTexts says that an app registered itself', () => {
  const { lead } = textsOf(appOf('Your bank', true))
  assert.equal(lead, 'to go on to Your bank, which registered itself here: we don’t know who runs it')
})
