import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { verifyPasskey } from '../../shared/api/passkey-sign-in.ts'
import { passkeysQuery } from '../../shared/api/passkeys.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { createRecoveryCodes, disableTwoStep, getTotpUri, type TwoStepStatus } from '../../shared/api/two-step.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { requirementSentence } from '../../shared/two-step/requirement-sentence.ts'
import { wayToSecondStep } from '../../shared/two-step/way-to-second-step.ts'
import { ActionRow } from './ActionRow.tsx'
import { KeyOfApp } from './KeyOfApp.tsx'
import { PasswordOfAccount, passwordIn } from './PasswordOfAccount.tsx'
import { startSetup } from './start-setup.ts'
import type { Step } from './TwoStep.tsx'

type ManageProps = { status: TwoStepStatus; email: string; onStep: (step: Step) => void; onOff: () => void }

/** What the questions of all actions have in common. */
type Question = { about: string; pendingLabel: string; fields: ReactNode }
type ActionProps = { question: Question; onStep: (step: Step) => void }

/** What a user with two-step verification can do. Each action asks for the password again. */
export function Manage({ status, email, onStep, onOff }: ManageProps) {
  const { method, hasPassword, remainingBackupCodes } = status
  const password = <PasswordOfAccount email={email} hasPassword={hasPassword} />
  const question = { about: 'for two-step verification', pendingLabel: 'One moment…', fields: password }
  return (
    <ul className="rows">
      <NewRecoveryCodes leftCount={remainingBackupCodes} question={question} onStep={onStep} />
      {method === 'totp' && <AnotherPhone question={question} />}
      {method === 'totp' && <NewPhone status={status} question={question} onStep={onStep} />}
      {method === 'otp' && <AppInsteadOfEmails question={question} onStep={onStep} />}
      <TurnOff status={status} question={question} onOff={onOff} />
    </ul>
  )
}

function NewRecoveryCodes({ leftCount, question, onStep }: ActionProps & { leftCount: number }) {
  async function makeCodes(password: string | undefined) {
    const { backupCodes } = await createRecoveryCodes(password)
    refreshPages()
    onStep({
      name: 'recovery codes',
      recoveryCodes: backupCodes,
      notice: 'Your new recovery codes replace the old ones.',
    })
  }

  return (
    <ActionRow title="Recovery codes" text={`${leftCount} of 10 left.`}>
      <InlineConfirm
        {...question}
        label="New recovery codes"
        question="Make ten new recovery codes? The old ones stop working."
        confirmLabel="Make new codes"
        kind="main"
        action={(value) => makeCodes(passwordIn(value))}
        sentences={{ NO_RESPONSE: 'No response came. The old codes may have stopped working: make new ones again.' }}
      />
    </ActionRow>
  )
}

function AnotherPhone({ question }: { question: Question }) {
  const [totpURI, setTotpUri] = useState<string>()
  return (
    <>
      <ActionRow title="Another phone" text="Shows the QR code again. Both phones then make the same codes.">
        {totpURI === undefined && (
          <InlineConfirm
            {...question}
            label="Show the QR code"
            question="The QR code has the key of your codes. Make sure that no one else sees your screen."
            confirmLabel="Show it"
            kind="main"
            action={async (value) => setTotpUri((await getTotpUri(passwordIn(value))).totpURI)}
          />
        )}
      </ActionRow>
      {totpURI !== undefined && (
        <li className="row row-stacked">
          <KeyOfApp totpURI={totpURI} />
          <button type="button" className="button button-quiet" onClick={() => setTotpUri(undefined)}>
            Hide the QR code
          </button>
        </li>
      )}
    </>
  )
}

const NO_PASSKEY =
  'Your browser used no passkey, so nothing was changed. If you have lost your passkey, remove it on this page first.'

function NewPhone({ status, question, onStep }: ActionProps & { status: TwoStepStatus }) {
  const { data: passkeys } = useQuery(passkeysQuery)
  const needsPasskey = wayToSecondStep({ ...status, enabled: false }, passkeys) === 'passkey'

  async function replaceKey(password: string | undefined) {
    // Without the second step that ends here, only a session with the passkey may begin the setup.
    if (needsPasskey) await verifyPasskey()
    await disableTwoStep(password)
    refreshPages()
    onStep(await startSetup('totp', password).catch((failure: Error) => ({ name: 'choose' as const, failure })))
  }

  return (
    <ActionRow title="New phone" text="Makes a new key. The app on your old phone then makes no more codes.">
      {passkeys && (
        <InlineConfirm
          {...question}
          label="Set up on a new phone"
          question={`Make a new key? Until you enter the first code of the new phone, two-step verification is off. Your other devices are signed out.${needsPasskey ? ' Your browser asks for your passkey first.' : ''}`}
          confirmLabel="Make a new key"
          action={(value) => replaceKey(passwordIn(value))}
          sentences={{
            AUTH_CANCELLED: NO_PASSKEY,
            ERROR_CEREMONY_ABORTED: NO_PASSKEY,
            ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: NO_PASSKEY,
          }}
        />
      )}
    </ActionRow>
  )
}

function AppInsteadOfEmails({ question, onStep }: ActionProps) {
  return (
    <ActionRow
      title="Authenticator app"
      text="Safer than emails. The emails go on until you enter the first code of the app."
    >
      <InlineConfirm
        {...question}
        label="Use an authenticator app"
        question="Go on with an authenticator app? You get new recovery codes too."
        confirmLabel="Go on"
        kind="main"
        action={async (value) => onStep(await startSetup('totp', passwordIn(value)))}
      />
    </ActionRow>
  )
}

type TurnOffProps = { status: TwoStepStatus; question: Question; onOff: () => void }

function TurnOff({ status: { requiredBy, hasPassword }, question, onOff }: TurnOffProps) {
  return (
    <ActionRow
      title="Turn off"
      text={
        hasPassword
          ? 'Your password alone then signs you in.'
          : 'If you choose a password later, it then signs you in without a code.'
      }
    >
      <InlineConfirm
        {...question}
        label="Turn off"
        about="two-step verification"
        question={
          <>
            Turn off two-step verification? You are signed out on your other devices, and your recovery codes stop
            working. {requiredBy.length > 0 && requirementSentence(requiredBy)}
          </>
        }
        confirmLabel="Turn it off"
        action={(value) => disableTwoStep(passwordIn(value))}
        onDone={onOff}
      />
    </ActionRow>
  )
}
