"""How long a call takes, for the peers' side of a benchmark."""
import time


def seconds(run, floor):
    """Seconds a call takes by the wall's clock and by the processor's, over at least `floor` seconds of calls."""
    run()
    calls = 1
    while True:
        start, started = time.perf_counter(), time.process_time()
        for _ in range(calls):
            run()
        took, worked = time.perf_counter() - start, time.process_time() - started
        if took >= floor:
            return took / calls, worked / calls
        calls = max(calls + 1, int(calls * min(10, 1.2 * floor / max(took, 1e-9))))
