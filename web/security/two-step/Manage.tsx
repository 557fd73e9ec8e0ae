import { type ReactNode, useState } from 'react'
import { queryClient } from '../../shared/api/queries.ts'
import { createRecoveryCodes, disableTwoStep, getTotpUri, type TwoStepStatus } from '../../shared/api/two-step.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { requirementSentence } from '../../shared/two-step/requirement-sentence.ts'
import { KeyOfApp } from './KeyOfApp.tsx'
import { PasswordOfAccount, passwordIn } from './PasswordOfAccount.tsx'
import { startSetUp } from './start-set-up.ts'
import type { Step } from './TwoStep.tsx'

type ManageProps = { status: TwoStepStatus; email: string; onStep: (step: Step) => void; onOff: () => void }

/** What a user with two-step verification can do. Each action asks for the password again. */
export function Manage({ status, email, onStep, onOff }: ManageProps) {
  const { method, hasPassword, remainingBackupCodes, requiredBy } = status
  const [totpURI, setTotpUri] = useState<string>()
  const password = <PasswordOfAccount email={email} hasPassword={hasPassword} />
  const pending = { about: 'for two-step verification', pendingLabel: 'One moment…', fields: password }

  async function makeCodes(password: string | undefined) {
    const { backupCodes } = await createRecoveryCodes(password)
    queryClient.invalidateQueries()
    onStep({
      name: 'recovery codes',
      recoveryCodes: backupCodes,
      notice: 'Your new recovery codes replace the old ones.',
    })
  }

  async function replaceKey(password: string | undefined) {
    await disableTwoStep(password)
    queryClient.invalidateQueries()
    onStep(await startSetUp('totp', password).catch((failure: Error) => ({ name: 'choose' as const, failure })))
  }

  return (
    <ul className="rows">
      <Row title="Recovery codes" text={`${remainingBackupCodes} of 10 left.`}>
        <InlineConfirm
          {...pending}
          label="New recovery codes"
          question="Make ten new recovery codes? The old ones stop working."
          confirmLabel="Make new codes"
          kind="main"
          action={(value) => makeCodes(passwordIn(value))}
        />
      </Row>
      {method === 'totp' && (
        <Row title="Another phone" text="Shows the QR code again. Both phones then make the same codes.">
          {totpURI === undefined && (
            <InlineConfirm
              {...pending}
              label="Show the QR code"
              question="The QR code has the key of your codes. Make sure that no one else sees your screen."
              confirmLabel="Show it"
              kind="main"
              action={async (value) => setTotpUri((await getTotpUri(passwordIn(value))).totpURI)}
            />
          )}
        </Row>
      )}
      {totpURI !== undefined && (
        <li className="row row-stacked">
          <KeyOfApp totpURI={totpURI} />
          <button type="button" className="button button-quiet" onClick={() => setTotpUri(undefined)}>
            Hide the QR code
          </button>
        </li>
      )}
      {method === 'totp' && (
        <Row title="New phone" text="Makes a new key. The app on your old phone then makes no more codes.">
          <InlineConfirm
            {...pending}
            label="Set up on a new phone"
            question="Make a new key? Until you enter the first code of the new phone, two-step verification is off. Your other devices are signed out."
            confirmLabel="Make a new key"
            action={(value) => replaceKey(passwordIn(value))}
          />
        </Row>
      )}
      {method === 'otp' && (
        <Row
          title="Authenticator app"
          text="Safer than emails. The emails go on until you enter the first code of the app."
        >
          <InlineConfirm
            {...pending}
            label="Use an authenticator app"
            question="Go on with an authenticator app? You get new recovery codes too."
            confirmLabel="Go on"
            kind="main"
            action={async (value) => onStep(await startSetUp('totp', passwordIn(value)))}
          />
        </Row>
      )}
      <Row title="Turn off" text="Your password alone then signs you in.">
        <InlineConfirm
          {...pending}
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
      </Row>
    </ul>
  )
}

function Row({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="row">
      <div className="row-text">
        <p>{title}</p>
        <p className="soft">{text}</p>
      </div>
      {children}
    </li>
  )
}
