/** A sleep that can be cut short, once or for good. */
export interface Pause {
  /** Resolves after `ms`, at once when it was woken since the last wait. */
  wait(ms: number): Promise<void>
  wake(): void
  end(): void
  isOver(): boolean
}

export function createPause(): Pause {
  let woken = false
  let over = false
  let resume: () => void = () => undefined
  const wake = () => {
    woken = true
    resume()
  }
  return {
    async wait(ms) {
      if (!woken && !over) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      woken = false
    },
    wake,
    end() {
      over = true
      wake()
    },
    isOver: () => over,
  }
}
