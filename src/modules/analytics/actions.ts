import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { Activity } from './schema.ts'
import { insertViews } from './store.ts'
import type { ViewTarget } from './target.ts'

/**
 * Counts what a client says its user looked at. What is gone or hidden is passed over, and what is said twice in one
 * report counts once: clients report late and repeat themselves.
 */
export async function recordActivities(
  tx: Tx,
  viewer: Viewer,
  targets: ViewTarget[],
  activities: Activity[],
): Promise<void> {
  for (const target of targets) {
    const counted = countActivities(
      activities.filter((activity) => (activity.contentType as string) === target.type),
    )
    const readable = await target.findReadable(tx, viewer, [...counted.keys()])
    const ids = [...counted.keys()].filter((id) => readable.has(id))
    if (ids.length === 0) continue
    const viewed = ids.filter((id) => counted.get(id)!.views > 0)
    const first = new Set(await insertViews(tx, target.type, viewed, viewer.id, now()))
    await target.addViews(
      tx,
      viewer,
      ids.map((id) => ({ id, ...counted.get(id)!, isFirst: first.has(id) })),
    )
  }
}

function countActivities(activities: Activity[]): Map<string, { views: number; clicks: number }> {
  const counted = new Map<string, { views: number; clicks: number }>()
  const said = new Set<string>()
  for (const { contentId, activityType, timestamp } of activities) {
    const report = `${contentId} ${activityType} ${timestamp}`
    if (said.has(report)) continue
    said.add(report)
    const { views, clicks } = counted.get(contentId) ?? { views: 0, clicks: 0 }
    const isView = activityType === 'view'
    counted.set(contentId, { views: views + Number(isView), clicks: clicks + Number(!isView) })
  }
  return counted
}
