import { Link } from 'wouter'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { Page } from '../shared/components/Page.tsx'
import type { WaitingDevice } from './endpoints.ts'

type DeviceAnsweredProps = { status: Exclude<WaitingDevice['status'], 'pending'>; appName: string }

export function DeviceAnswered({ status, appName }: DeviceAnsweredProps) {
  if (status === 'denied') {
    return (
      <Page
        heading="Denied"
        lead={`${appName} gets no access to your account. If you didn’t start this on a device of yours, you did right.`}
      >
        <AccountLink kind="quiet" />
      </Page>
    )
  }
  return (
    <Page
      heading="Your device is connected"
      lead={`Go on with ${appName} on your device. It takes a few seconds until it knows. You can close this page.`}
    >
      <AccountLink kind="quiet" />
    </Page>
  )
}

export function DeviceExpired() {
  return (
    <Page
      heading="This code has expired"
      lead="It took too long, or another user has used the code. Let the device show a new one, and enter that."
    >
      <Link href="/device" className="button button-main">
        Enter another code
      </Link>
    </Page>
  )
}
