import { useLocation } from 'wouter'
import { queryClient } from '../shared/api/queries.ts'
import { Page } from '../shared/components/Page.tsx'
import type { Sentences } from '../shared/format/failure-sentence.ts'
import { Form } from '../shared/forms/Form.tsx'
import type { PageState } from '../shared/routing/page-state.ts'
import { useIsOnPage } from '../shared/routing/use-is-on-page.ts'
import { checkDeviceCode, DeviceCodeField, readDeviceCode } from './DeviceCodeField.tsx'
import { deviceQuery } from './device-query.ts'

const SENTENCES: Sentences = {
  DEVICE_CODE_NOT_FOUND:
    'There is no such code, or it has expired or was used. Compare it with the device, or let the device show a new one.',
}

/** @param code from the address, which the device may have shown as a QR code */
export function AskForCode({ code }: { code: string }) {
  const [, navigate] = useLocation()
  const isOnPage = useIsOnPage()
  const isPrefilled = checkDeviceCode(code) === null

  async function check(value: (name: string) => string) {
    const { userCode } = await queryClient.fetchQuery({
      ...deviceQuery(readDeviceCode(value('userCode'))),
      staleTime: 0,
    })
    return userCode
  }

  function goOn(checkedCode: string) {
    if (!isOnPage()) return
    navigate<PageState>(`/device?${new URLSearchParams({ user_code: checkedCode })}`, { state: { checkedCode } })
  }

  return (
    <Page
      heading="Connect a device"
      lead={
        isPrefilled ? 'Compare the code with the one that your device shows.' : 'Enter the code that your device shows.'
      }
    >
      <Form send={check} onDone={goOn} submitLabel="Go on" pendingLabel="Checking…" sentences={SENTENCES}>
        <DeviceCodeField code={code} />
      </Form>
    </Page>
  )
}
