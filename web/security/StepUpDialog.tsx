import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { queryClient, sessionQuery } from '../shared/api/queries.ts'
import { useIdentityCheck } from '../shared/api/step-up.ts'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { hasPasswordQuery, passkeysQuery } from './queries.ts'
import { verifyPassword } from './verify-password.ts'

type Settle = (isConfirmed: boolean) => void

/** Comes up over any page when the service wants to know first that it is still the visitor who asks. */
export function StepUpDialog() {
  const settle = useIdentityCheck()
  return settle && <KnownWays settle={settle} />
}

/** What the account has decides what the dialog asks for, and where the focus is when it opens. */
function KnownWays({ settle }: { settle: Settle }) {
  const { data: hasPassword = true, isPending } = useQuery(hasPasswordQuery)
  return isPending ? null : <Dialog settle={settle} hasPassword={hasPassword} />
}

function Dialog({ settle, hasPassword }: { settle: Settle; hasPassword: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { data: visitor } = useQuery(sessionQuery)

  useLayoutEffect(() => {
    const opened = dialog.current
    opened?.showModal()
    // While it is still in the page: closing gives the focus back to where it was.
    return () => opened?.close()
  }, [])

  useEffect(() => {
    if (visitor === null) settle(false)
  }, [visitor, settle])

  return (
    <dialog ref={dialog} className="card dialog" aria-labelledby="identity-check" onCancel={() => settle(false)}>
      <h2 id="identity-check">Is it still you?</h2>
      <p className="lead">You signed in a while ago. Before we go on, show us that it is you.</p>
      <WaysToConfirm email={visitor?.user.email ?? ''} settle={settle} hasPassword={hasPassword} />
      <button type="button" className="button button-quiet" onClick={() => settle(false)}>
        Cancel
      </button>
    </dialog>
  )
}

/** Those that the account has: a password, passkeys, or both. */
function WaysToConfirm({ email, settle, hasPassword }: { email: string; settle: Settle; hasPassword: boolean }) {
  const { data: passkeys = [] } = useQuery(passkeysQuery)

  function goOn() {
    // The session has another token now, which the pages have read before.
    queryClient.invalidateQueries()
    settle(true)
  }

  return (
    <>
      {hasPassword && (
        <Form
          send={(value) => verifyPassword(value('currentPassword'))}
          onDone={goOn}
          submitLabel="Go on"
          pendingLabel="Checking…"
        >
          {/* Password managers look for the account that a password belongs to. */}
          <input type="email" autoComplete="username" value={email} readOnly hidden />
          <CurrentPasswordField name="currentPassword" label="Your password" />
        </Form>
      )}
      {passkeys.length > 0 && (
        <PasskeyButton kind={hasPassword ? 'quiet' : 'main'} label="Use a passkey" onDone={goOn} />
      )}
    </>
  )
}
