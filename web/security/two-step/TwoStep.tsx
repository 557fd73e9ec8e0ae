import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { refreshPages } from '../../shared/api/queries.ts'
import type { TwoStepStatus } from '../../shared/api/two-step.ts'
import { useIsSending } from '../../shared/api/use-is-sending.ts'
import { pageState } from '../../shared/routing/page-state.ts'
import { useWarningBeforeLeaving } from '../../shared/routing/use-warning-before-leaving.ts'
import { ChooseMethod } from './ChooseMethod.tsx'
import { ConfirmApp } from './ConfirmApp.tsx'
import { ConfirmEmail } from './ConfirmEmail.tsx'
import { Manage } from './Manage.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import './two-step.css'

/** What the open row shows. The first code turns two-step verification on. The recovery codes are the last step. */
export type Step =
  | { name: 'choose'; failure?: Error }
  | { name: 'manage' }
  | { name: 'confirm app'; totpURI: string; createdAt: string; recoveryCodes: string[] }
  | { name: 'confirm email'; createdAt: string; recoveryCodes: string[] }
  | { name: 'recovery codes'; recoveryCodes: string[]; notice: ReactNode }

type TwoStepProps = {
  status: TwoStepStatus
  email: string
  /** Another way to go on. Only the first step offers it: later, the user would lose the recovery codes. */
  instead?: ReactNode
  onDone: (notice: ReactNode) => void
}

const IS_ON = 'Two-step verification is on. You were signed out on all other devices.'

export function TwoStep({ status, email, instead, onDone }: TwoStepProps) {
  const [step, setStep] = useState<Step>(status.enabled ? { name: 'manage' } : { name: 'choose' })
  // A response may lead to recovery codes. The step that shows them asks itself, and the first step leads to none.
  useWarningBeforeLeaving(useIsSending() && step.name !== 'choose' && step.name !== 'recovery codes')

  function showCodes(recoveryCodes: string[]) {
    // The other sessions have ended, and this session has a new token.
    refreshPages()
    setStep({ name: 'recovery codes', recoveryCodes, notice: <TurnedOn /> })
  }

  function turnedOff() {
    refreshPages()
    onDone('Two-step verification is off. You were signed out on all other devices.')
  }

  switch (step.name) {
    case 'choose':
      return (
        <>
          <ChooseMethod hasPassword={status.hasPassword} email={email} failure={step.failure} onStep={setStep} />
          {instead}
        </>
      )
    case 'confirm app':
      return (
        <ConfirmApp totpURI={step.totpURI} createdAt={step.createdAt} onDone={() => showCodes(step.recoveryCodes)} />
      )
    case 'confirm email':
      return <ConfirmEmail email={email} createdAt={step.createdAt} onDone={() => showCodes(step.recoveryCodes)} />
    case 'recovery codes':
      return <RecoveryCodes codes={step.recoveryCodes} email={email} onDone={() => onDone(step.notice)} />
    case 'manage':
      return <Manage status={status} email={email} onStep={setStep} onOff={turnedOff} />
  }
}

/** The notice has a link to the page that asked for two-step verification. */
function TurnedOn() {
  const { returnTo } = pageState()
  if (returnTo === undefined) return IS_ON
  return (
    <p>
      {IS_ON} <Link href={returnTo}>Go on where you were</Link>
    </p>
  )
}
