import { useLayoutEffect, useRef, useState } from 'react'
import { type Passkey, removePasskey, renamePasskey } from '../shared/api/passkeys.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { day, moment } from '../shared/format/moment.ts'
import { Form } from '../shared/forms/Form.tsx'
import { findFirstControl } from '../shared/forms/find-first-control.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { REORDERED_TEXT, reordersText } from '../shared/forms/reordered-text.ts'
import { TextField } from '../shared/forms/TextField.tsx'
import { useFocusAfterClose } from '../shared/forms/use-focus-after-close.ts'

export function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const [isRenaming, setRenaming] = useState(false)
  const opener = useFocusAfterClose(isRenaming)
  const { authenticatorName, createdAt, lastUsedAt } = passkey
  if (isRenaming) return <RenameForm passkey={passkey} onDone={() => setRenaming(false)} />
  return (
    <li className="row">
      <div className="row-text">
        <p>{passkey.name}</p>
        <p className="soft">
          {authenticatorName !== null && authenticatorName !== passkey.name && <span>{authenticatorName}.</span>}{' '}
          <span>{whereItIs(passkey)}</span> <span>Added {day(new Date(createdAt))}.</span>{' '}
          <span>{lastUsedAt === null ? 'Not used yet.' : `Last used ${moment(new Date(lastUsedAt))}.`}</span>
        </p>
      </div>
      <button ref={opener} type="button" className="button button-quiet" onClick={() => setRenaming(true)}>
        Rename<span className="visually-hidden"> {passkey.name}</span>
      </button>
      <InlineConfirm
        label="Remove"
        about={passkey.name}
        question={
          <>
            Remove <strong>{passkey.name}</strong>? It stops signing you in, and your other devices are signed out.
          </>
        }
        confirmLabel="Remove this passkey"
        pendingLabel="Removing…"
        action={() => removePasskey(passkey.id)}
        // Removing a passkey revokes the other sessions.
        onDone={refreshPages}
      />
    </li>
  )
}

function whereItIs({ backedUp, transports }: Passkey): string {
  if (backedUp) return 'Synced between your devices.'
  return /usb|nfc|ble/.test(transports) ? 'On a security key.' : 'On one device only.'
}

function RenameForm({ passkey, onDone }: { passkey: Passkey; onDone: () => void }) {
  const row = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => findFirstControl(row.current)?.focus(), [])

  async function showNewName() {
    await refreshPages()
    onDone()
  }
  return (
    <li ref={row} className="row row-stacked">
      <Form
        send={(value) => renamePasskey(passkey.id, value('name').trim())}
        onDone={showNewName}
        submitLabel="Save"
        pendingLabel="Saving…"
        onCancel={onDone}
      >
        <TextField
          name="name"
          label="Name of the passkey"
          autoComplete="off"
          defaultValue={passkey.name}
          check={checkName}
        />
      </Form>
    </li>
  )
}

function checkName(value: string): string | null {
  if (value.trim() === '') return 'Enter a name for the passkey.'
  return reordersText(value) ? REORDERED_TEXT : null
}
