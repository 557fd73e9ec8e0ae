import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useIdentityCheck } from '../api/identity-check.ts'
import { verifyPassword } from '../api/own-endpoints.ts'
import { sessionQuery } from '../api/queries.ts'
import { CurrentPasswordField } from './CurrentPasswordField.tsx'
import { EntryForm } from './EntryForm.tsx'

/** Comes up over any page when the service wants to know first that it is still the visitor who asks. */
export function IdentityCheck() {
  const settle = useIdentityCheck()
  return settle && <Dialog settle={settle} />
}

function Dialog({ settle }: { settle: (isConfirmed: boolean) => void }) {
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
      <p className="lead">You signed in a while ago. Before we go on, type your password again.</p>
      <EntryForm
        send={(value) => verifyPassword(value('currentPassword'))}
        onDone={() => settle(true)}
        submitLabel="Go on"
        pendingLabel="Checking…"
      >
        {/* Password managers look for the account that a password belongs to. */}
        <input type="email" autoComplete="username" value={visitor?.user.email ?? ''} readOnly hidden />
        <CurrentPasswordField name="currentPassword" label="Your password" />
      </EntryForm>
      <button type="button" className="button button-quiet" onClick={() => settle(false)}>
        Cancel
      </button>
    </dialog>
  )
}
