import { useLocation } from 'wouter'
import type { SecondStep } from '../shared/api/sign-in.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { Page } from '../shared/components/Page.tsx'
import { addToPageState, type PageState, pageState, usePageState } from '../shared/routing/page-state.ts'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'

type SecondStepPageProps = {
  email: string
  step: SecondStep
  onSignedIn: (recoveryCodesLeft: number | undefined) => void
}

/** After the password. A reload keeps this page: the cookie has the challenge, and the history has the step. */
export function SecondStepPage({ email, step, onSignedIn }: SecondStepPageProps) {
  const [, navigate] = useLocation()
  const { isTrusted = false } = usePageState()

  function backToPassword(expired?: string) {
    const { secondStep: _done, notice: _seen, ...others } = pageState()
    navigate<PageState>('/sign-in', { replace: true, state: { ...others, ...(expired && { expired }) } })
  }

  return (
    <Page
      heading="Enter the code"
      after={
        <button type="button" className="text-button" onClick={() => backToPassword()}>
          Back to the password
        </button>
      }
    >
      <SecondStepForm
        email={email}
        step={step}
        submitLabel="Sign in"
        trust={{ isChosen: isTrusted, onChange: (isChosen) => addToPageState({ isTrusted: isChosen }) }}
        onDone={(recoveryCodesLeft) => {
          forgetSession()
          onSignedIn(recoveryCodesLeft)
        }}
        onExpired={backToPassword}
      />
    </Page>
  )
}
