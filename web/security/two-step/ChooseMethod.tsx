import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { Choice } from '../../shared/forms/Choice.tsx'
import { Form } from '../../shared/forms/Form.tsx'
import { PasswordOfAccount, passwordIn } from './PasswordOfAccount.tsx'
import { startSetup } from './start-setup.ts'
import type { Step } from './TwoStep.tsx'

type ChooseMethodProps = {
  email: string
  hasPassword: boolean
  /** Why the setup of a new phone stopped after the old one was removed. */
  failure: Error | undefined
  onStep: (step: Step) => void
}

export function ChooseMethod({ email, hasPassword, failure, onStep }: ChooseMethodProps) {
  return (
    <Form
      send={(value) => startSetup(value('method') === 'otp' ? 'otp' : 'totp', passwordIn(value))}
      onDone={onStep}
      submitLabel="Go on"
      pendingLabel="One moment…"
    >
      {failure && <FailureNotice error={failure} />}
      <p>
        {hasPassword
          ? 'After your password, you’ll enter a code with six digits. A stolen password alone is then of no use.'
          : 'Passkeys need no code. If you choose a password later, you’ll enter a code with six digits after it.'}
      </p>
      <fieldset className="checkboxes">
        <legend>Where do the codes come from?</legend>
        <Choice type="radio" name="method" value="totp" label="An authenticator app" isChosen>
          Recommended. An app on your phone or your password manager shows them, also without a network.
        </Choice>
        <Choice type="radio" name="method" value="otp" label="Emails">
          We send them to {email}. Less safe: they protect you only as well as your mailbox.
        </Choice>
      </fieldset>
      <PasswordOfAccount email={email} hasPassword={hasPassword} />
    </Form>
  )
}
