import { Link } from 'wouter'
import { Page } from '../shared/components/Page.tsx'

const FEW = 3

type RecoveryCodesLeftProps = { count: number; appName: string | undefined; onDone: () => void }

/** Shown once, after a sign-in with a recovery code. Back from the new codes leads to the app that waits. */
export function RecoveryCodesLeft({ count, appName, onDone }: RecoveryCodesLeftProps) {
  return (
    <Page heading="You are signed in" lead={sentence(count)}>
      <button type="button" className="button button-main" onClick={onDone}>
        Go on{appName !== undefined && ` to ${appName}`}
      </button>
      {count <= FEW && (
        <Link className="button button-quiet" href="/account/security#two-step" replace={appName === undefined}>
          Make new recovery codes
        </Link>
      )}
    </Page>
  )
}

function sentence(count: number): string {
  if (count === 0)
    return 'That was your last recovery code. Make new ones now: without them, a lost phone locks you out.'
  return `The recovery code is used up. You have ${count} left.`
}
