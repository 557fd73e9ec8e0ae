import { useEffect, useRef, useState } from 'react'
import { downloadFile } from '../../shared/api/download-file.ts'
import { brandName } from '../../shared/brand.ts'
import { CopyButton } from '../../shared/components/CopyButton.tsx'
import { StoredConfirmation } from '../../shared/components/StoredConfirmation.tsx'
import { useWarningBeforeLeaving } from '../../shared/routing/use-warning-before-leaving.ts'

type RecoveryCodesProps = { codes: string[]; email: string; onDone: () => void }

/** No other page can show the recovery codes, because the service stores only their hashes. */
export function RecoveryCodes({ codes, email, onDone }: RecoveryCodesProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const [isStored, setStored] = useState(false)
  useWarningBeforeLeaving(!isStored)
  const title = `Recovery codes of ${email} for ${brandName}`

  return (
    <>
      <h3 ref={heading} className="recovery-codes-heading" tabIndex={-1}>
        Store your recovery codes
      </h3>
      <p>
        Without your phone or your mailbox, each of them signs you in once, after your password. Put them into a
        password manager, or print them. We show them only now.
      </p>
      <div className="recovery-codes">
        <p className="printed-only">{title}</p>
        <ul aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div className="buttons">
        <CopyButton
          text={codes.join('\n')}
          about="the recovery codes"
          advice="Select the codes and copy them, or download them."
        />
        <button type="button" className="button button-quiet" onClick={() => print()}>
          Print
        </button>
        <button
          type="button"
          className="button button-quiet"
          onClick={() => downloadFile('recovery-codes.txt', 'text/plain', `${[title, '', ...codes].join('\n')}\n`)}
        >
          Download
        </button>
      </div>
      <StoredConfirmation
        label="I have stored them"
        closeLabel="Done"
        isStored={isStored}
        onStored={setStored}
        onClose={onDone}
      />
    </>
  )
}
