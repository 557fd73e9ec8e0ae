import { useLocation } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { UsernameOfPassword } from '../shared/forms/UsernameOfPassword.tsx'
import type { PageState } from '../shared/routing/page-state.ts'

export function DeleteByPassword({ email }: { email: string }) {
  const [, navigate] = useLocation()

  function leave() {
    forgetSession()
    const notice = 'Your account is deleted. Thank you for having been here.'
    navigate<PageState>('/sign-in', { replace: true, state: { notice } })
  }

  return (
    <Form
      send={(value) => authentication.deleteUser({ password: value('currentPassword') })}
      onDone={leave}
      kind="danger"
      submitLabel="Delete my account"
      pendingLabel="Deleting…"
    >
      <UsernameOfPassword email={email} />
      <CurrentPasswordField name="currentPassword" label="Your password, to verify that it is you" />
    </Form>
  )
}
